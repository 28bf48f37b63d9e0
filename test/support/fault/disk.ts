import { execFileSync } from 'node:child_process';
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { type HttpClient, httpClient } from '../http/client.js';
import type { Reply } from '../http/reply.js';
import { pageClient } from '../page/client.js';
import { startReceiver } from '../receiver.js';
import { SqliteDatabase } from '../sqlite.js';
import { audit, type FaultReport } from './audit.js';
import { temporaryDirectory } from './process.js';
import {
  type Caller,
  type FaultSite,
  FIRST_ORGANIZATION,
  inspect,
  prepareSite,
  signIn,
  unfinished,
  until,
} from './service.js';

/** A disk that can be full. */
export interface SmallDisk {
  readonly directory: string;
  /** What the server is started under. */
  readonly under: readonly string[];
  fill(site: FaultSite): void;
  free(): void;
  remove(): void;
}

const LARGEST_FILE = 8 * 1024 * 1024;

/**
 * Works everywhere, without privileges: no file of the server may grow beyond a limit (RLIMIT_FSIZE; Node ignores
 * the signal that comes with it, and a write fails). The disk is full when the write-ahead log has reached the
 * limit, and has room again after a checkpoint.
 */
export function limitedFiles(): SmallDisk {
  const { path, remove } = temporaryDirectory();
  let other: Sqlite.Database | null = null;
  return {
    directory: path,
    // In units of 512 bytes.
    under: ['sh', '-c', `ulimit -S -f ${LARGEST_FILE / 512} && exec "$@"`, 'sh'],
    fill({ file }) {
      const database = new SqliteDatabase(file);
      other = database;
      database.pragma('wal_autocheckpoint = 0');
      database.exec('CREATE TABLE filler (bytes BLOB); INSERT INTO filler VALUES (NULL)');
      const grow = database.prepare('UPDATE filler SET bytes = randomblob(262144)');
      for (let written = 0; written < LARGEST_FILE + 1024 * 1024; written += 262144) grow.run();
    },
    free() {
      other?.pragma('wal_checkpoint(TRUNCATE)');
      other?.close();
    },
    remove,
  };
}

/** A file system of 8 MB in memory; null where we may not mount one. */
export function smallFileSystem(): SmallDisk | null {
  const { path, remove } = temporaryDirectory();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    remove();
    return null;
  }
  const filler = join(path, 'filler');
  return {
    directory: path,
    under: [],
    fill() {
      // What does not fit as a whole is tried in smaller pieces.
      for (const size of [65_536, 512, 1]) appendUntilFull(filler, Buffer.alloc(size));
    },
    free: () => rmSync(filler, { force: true }),
    remove() {
      execFileSync('umount', [path]);
      remove();
    },
  };
}

function appendUntilFull(file: string, piece: Buffer): void {
  try {
    for (let count = 0; count < 10_000; count += 1) appendFileSync(file, piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

/**
 * A server whose disk becomes full while people use it and a delivery is in hand, and has room again later.
 * No process is restarted in between.
 */
export async function fillTheDisk(disk: SmallDisk): Promise<FaultReport> {
  const answers: (() => void)[] = [];
  let isHeld = true;
  const receiver = await startReceiver({
    answer(_request, response) {
      if (isHeld) answers.push(() => response.end('ok'));
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
    const member = { email: 'before@example.test', firstName: 'Ada', lastName: 'Lovelace', idpId: 'idp-1' };
    await site.embedded((core) => core.registerUser({ ...member, organizationId: FIRST_ORGANIZATION }));
    const server = await site.serve({ under: disk.under });
    const people = await startUsing(site, client);
    const isSent = await until(() => receiver.requests.length === 1, 5000);
    const openPath = await people.invitePath('page@example.test');

    disk.fill(site);
    const refused = await people.inviteUntilRefused();
    const form = await pageClient({ url: site.url, origin: site.url }).fillIn(openPath, {
      password: 'long enough',
    });
    const reads = await people.readAll(openPath);
    // The outcome of this delivery can't be written now.
    isHeld = false;
    for (const answer of answers) answer();
    await until(() => false, 1000);
    const waiting = unfinished(site.file);

    disk.free();
    const freed = performance.now();
    const isHealed = await until(async () => (await people.invite()).status === 200, 10_000);
    const healed = Math.round(performance.now() - freed);
    const isWritten = await until(() => unfinished(site.file) === 0, 15_000);
    await people.accept('after@example.test');
    await until(() => unfinished(site.file) === 0, 5000);
    const { code } = await server.stop();

    const registered = new Set(['before@example.test', 'after@example.test']);
    const { counts, problems } = audit(site.file, {
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
        healed,
        ...counts,
      },
      problems: [
        ...(isSent ? [] : ['nothing was sent before the disk was full']),
        ...refusedProblems(refused),
        ...(form.status === 503 ? [] : [`a form was answered with ${form.status}`]),
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

/** The answer to a write on a full disk, as the contract has it. */
function refusedProblems(reply: Reply | null): readonly string[] {
  if (reply === null) return ['no write was refused: the disk was not full'];
  const { status, headers, text } = reply;
  const seen = `${status} ${headers['content-type']} ${headers['x-error-code']} ${text}`;
  const expected = '503 application/json; charset=utf-8 unavailable {"error":"Service Unavailable"}';
  const isAfter = /^[1-9]\d*$/.test(headers['retry-after'] ?? '');
  return [
    ...(seen === expected ? [] : [`a refused write: ${seen}`]),
    ...(isAfter ? [] : [`Retry-After: ${headers['retry-after']}`]),
  ];
}

interface People {
  /** The addresses whose invitation was acknowledged. */
  readonly invited: ReadonlySet<string>;
  invite(): Promise<Reply>;
  invitePath(email: string): Promise<string>;
  accept(email: string): Promise<void>;
  /** The first answer that is not a yes. */
  inviteUntilRefused(): Promise<Reply | null>;
  /** Asks for everything that can be read; what was answered with anything but a yes. */
  readAll(page: string): Promise<readonly string[]>;
}

async function startUsing(site: FaultSite, client: HttpClient): Promise<People> {
  const [organization] = site.organizations;
  if (organization === undefined) throw new Error('the site has no organization');
  const caller: Caller = await signIn(site, organization);
  const headers = { Authorization: `Bearer ${caller.token}` };
  const api = `/api/v2/organizations/${FIRST_ORGANIZATION}`;
  const invited = new Set<string>();
  let count = 0;

  const people: People = {
    invited,
    async invite() {
      count += 1;
      const email = `invited-${count}@example.test`;
      const json = { email, first_name: 'Ada', last_name: 'L'.repeat(200) };
      const reply = await client.send('POST', `${api}/invite_user`, { headers, json });
      if (reply.status === 200) invited.add(email);
      return reply;
    },
    async invitePath(email) {
      const { path } = await caller.invite(email);
      if (path === null) throw new Error(`${email} was not invited`);
      invited.add(email);
      return path;
    },
    async accept(email) {
      if (!(await caller.accept(await people.invitePath(email))))
        throw new Error(`${email} was not accepted`);
    },
    async inviteUntilRefused() {
      for (let tries = 0; tries < 3000; tries += 1) {
        const reply = await people.invite();
        if (reply.status !== 200) return reply;
      }
      return null;
    },
    async readAll(page) {
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
        .map(({ status }, index) => `read ${index + 1} was answered with ${status}`)
        .filter((text) => !text.endsWith(' 200'));
    },
  };
  return people;
}
