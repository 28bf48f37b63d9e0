import { execFileSync } from 'node:child_process';
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { type HttpClient, httpClient } from '../http/client.js';
import type { Reply } from '../http/reply.js';
import { pageClient } from '../page/client.js';
import { startReceiver } from '../receiver.js';
import { SqliteDatabase } from '../sqlite.js';
import { until } from '../wait.js';
import { audit, type FaultReport } from './audit.js';
import { temporaryDirectory } from './process.js';
import { type FaultSite, inspect, prepareSite, signIn, unfinished } from './service.js';

/** A disk that can be full. */
export interface SmallDisk {
  readonly directory: string;
  /** The command that starts the server, or nothing. */
  readonly under: readonly string[];
  fill(site: FaultSite): void;
  free(): void;
  remove(): void;
}

export interface SmallFileSystem extends SmallDisk {
  fill(): void;
}

/** Of each file, or of the whole disk. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/**
 * Needs no privileges: RLIMIT_FSIZE limits the size of each file of the server. Node ignores the signal of that limit,
 * and the write fails. The disk is full when the write-ahead log has reached the limit, and has room again after a
 * checkpoint.
 */
export function limitedFiles(bytes = MAX_FILE_BYTES): SmallDisk {
  const { path, remove } = temporaryDirectory();
  let other: Sqlite.Database | null = null;
  return {
    directory: path,
    // In units of 512 bytes.
    under: ['sh', '-c', `ulimit -S -f ${bytes / 512} && exec "$@"`, 'sh'],
    fill({ file }) {
      const database = new SqliteDatabase(file);
      other = database;
      database.pragma('wal_autocheckpoint = 0');
      database.exec('CREATE TABLE IF NOT EXISTS filler (bytes BLOB); INSERT INTO filler VALUES (NULL)');
      const grow = database.prepare('UPDATE filler SET bytes = randomblob(262144)');
      for (let written = 0; written < bytes + 1024 * 1024; written += 262144) grow.run();
    },
    free() {
      other?.pragma('wal_checkpoint(TRUNCATE)');
      other?.close();
    },
    remove,
  };
}

/** A file system in memory, or null without the right to mount one. */
export function smallFileSystem(bytes = MAX_FILE_BYTES): SmallFileSystem | null {
  const { path, remove } = temporaryDirectory();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    remove();
    return null;
  }
  const filler = join(path, 'filler');
  return {
    directory: path,
    under: [],
    fill() {
      // When a chunk no longer fits, smaller ones fill the rest.
      for (const size of [65_536, 512, 1]) appendUntilFull(filler, Buffer.alloc(size));
    },
    free: () => rmSync(filler, { force: true }),
    remove() {
      execFileSync('umount', [path]);
      remove();
    },
  };
}

function appendUntilFull(file: string, chunk: Buffer): void {
  try {
    for (let count = 0; count < 10_000; count += 1) appendFileSync(file, chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

/**
 * Fills the disk of a server while people use it and a delivery is under way, and frees it later. No process is
 * restarted in between.
 */
export async function fillTheDisk(disk: SmallDisk): Promise<FaultReport> {
  const heldResponses: (() => void)[] = [];
  let isHeld = true;
  const receiver = await startReceiver({
    answer(_request, response) {
      if (isHeld) heldResponses.push(() => response.end('ok'));
      else response.end('ok');
    },
  });
  const site = await prepareSite({
    webhookUrls: [`${receiver.url}/hook`],
    authority: receiver.authority,
    directory: disk.directory,
  });
  const client = httpClient(site.port);
  try {
    await site.register({ email: 'before@example.test', idpId: 'idp-1' });
    const server = await site.serve({ under: disk.under });
    const people = await startUsing(site, client);
    const isSent = await until(() => receiver.requests.length === 1, 5000);
    const formPath = await people.invitePath('page@example.test');

    disk.fill(site);
    const refused = await people.inviteUntilRefused();
    // The outcome of this delivery cannot be written now. Answered first: an attempt ends after ten seconds.
    isHeld = false;
    for (const respond of heldResponses) respond();
    const form = await pageClient({ url: site.url, origin: site.url }).fillIn(formPath, {
      password: 'long enough',
    });
    const reads = await people.readAll(formPath);
    await until(() => false, 1000);
    const waiting = unfinished(site.file);

    disk.free();
    const freedAt = performance.now();
    const isHealed = await until(async () => (await people.invite()).status === 200, 10_000);
    const healedMs = Math.round(performance.now() - freedAt);
    const isWritten = await until(() => unfinished(site.file) === 0, 60_000);
    await people.accept('after@example.test');
    await until(() => unfinished(site.file) === 0, 5000);
    const { code } = await server.stop();

    const registered = new Set(['before@example.test', 'after@example.test']);
    const { counts, problems } = await audit(site.file, {
      attempted: new Set([...registered, 'page@example.test']),
      acknowledged: registered,
      requests: receiver.requests,
    });
    const invited = new Set(
      inspect(site.file, (database) => database.prepare('SELECT email FROM invitations').pluck().all()),
    );
    return {
      counts: {
        invited: people.invited.size,
        'refused with 503': 1 + (form.status === 503 ? 1 : 0),
        'healed after, ms': healedMs,
        ...counts,
      },
      problems: [
        ...(isSent ? [] : ['nothing was sent before the disk was full']),
        ...refusedProblems(refused),
        ...(form.status === 503 ? [] : [`a form got the status ${form.status}`]),
        ...reads,
        ...(waiting === 1 ? [] : [`${waiting} deliveries waited for their outcome to be written`]),
        ...(isHealed ? [] : ['it did not heal within 10 s']),
        ...(isWritten ? [] : ['an outcome was not written after there was room']),
        ...(code === 0 ? [] : [`the server ended with ${code}`]),
        ...[...people.invited].filter((email) => !invited.has(email)).map((email) => `lost: ${email}`),
        ...(receiver.requests.length === 2 ? [] : [`received ${receiver.requests.length} requests`]),
        ...problems,
      ],
    };
  } finally {
    client.close();
    await site.remove();
    await receiver.stop();
    disk.remove();
  }
}

/** Compares the response to a write on a full disk with the contract. */
function refusedProblems(reply: Reply | null): readonly string[] {
  if (reply === null) return ['no write was refused: the disk was not full'];
  const { status, headers, text } = reply;
  const seen = `${status} ${headers['content-type']} ${headers['x-error-code']} ${text}`;
  const expected = '503 application/json; charset=utf-8 unavailable {"error":"Service Unavailable"}';
  const hasRetryAfter = /^[1-9]\d*$/.test(headers['retry-after'] ?? '');
  return [
    ...(seen === expected ? [] : [`a refused write: ${seen}`]),
    ...(hasRetryAfter ? [] : [`Retry-After: ${headers['retry-after']}`]),
  ];
}

async function startUsing(site: FaultSite, client: HttpClient) {
  const { organization } = site;
  const caller = await signIn(site, organization);
  const headers = { Authorization: `Bearer ${caller.token}` };
  const api = `/api/v2/organizations/${organization.id}`;
  const invited = new Set<string>();
  let count = 0;

  const people = {
    /** The email addresses of acknowledged invitations. */
    invited: invited as ReadonlySet<string>,
    async invite(): Promise<Reply> {
      count += 1;
      const email = `invited-${count}@example.test`;
      const json = { email, first_name: 'Ada', last_name: 'L'.repeat(200) };
      const reply = await client.send('POST', `${api}/invite_user`, { headers, json });
      if (reply.status === 200) invited.add(email);
      return reply;
    },
    async invitePath(email: string): Promise<string> {
      const { path } = await caller.invite(email);
      if (path === null) throw new Error(`${email} was not invited`);
      invited.add(email);
      return path;
    },
    async accept(email: string): Promise<void> {
      if (!(await caller.accept(await people.invitePath(email))))
        throw new Error(`${email} was not accepted`);
    },
    /** Invites people until a response is not 200, and returns that one. */
    async inviteUntilRefused(): Promise<Reply | null> {
      for (let tries = 0; tries < 3000; tries += 1) {
        const reply = await people.invite();
        if (reply.status !== 200) return reply;
      }
      return null;
    },
    /** Requests everything that can be read, and returns a text for each response that is not 200. */
    async readAll(page: string): Promise<readonly string[]> {
      const replies = await Promise.all([
        client.send('POST', '/api/v2/authenticate', { json: { access_key: organization.accessKey } }),
        client.send('GET', `${api}/members/idp-1/upcoming_meetings`, { headers }),
        client.send('GET', `${api}/export_meetings`, { headers }),
        client.send('GET', `${api}/webhook`, { headers }),
        client.send('GET', '/readyz'),
        client.send('GET', '/healthz'),
        fetch(`${site.url}${page}`),
      ]);
      return replies
        .map(({ status }, index) => `read ${index + 1} got the status ${status}`)
        .filter((text) => !text.endsWith(' 200'));
    },
  };
  return people;
}
