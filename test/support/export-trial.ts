import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { tokenOf } from './api.js';
import { freePort, run, start, temporaryDirectory } from './app-cli.js';
import { memoryOf } from './process-memory.js';

/**
 * Exports many rows of three organizations to eight simultaneous readers. First they disconnect, then they read slowly,
 * while an import changes, adds and cancels meetings at the end of the exported range.
 */
export interface ExportTrial {
  /** The URL of an empty database. The default is an SQLite file. */
  readonly url?: string;
  /** The number of meetings of the first organization. Each other exported organization has as many, up to 100,000. */
  readonly meetings: number;
  /** The number of simultaneous readers. The default is eight. */
  readonly readers?: number;
  /** Variables for the import and the server. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface ExportTrialReport {
  /** The export of the first organization before the import. */
  readonly before: Export;
  /** The export of each reader's organization before the import. */
  readonly beforeEach: readonly Export[];
  /** The exports of the readers, started before the import and read after it. */
  readonly eight: readonly Export[];
  /** The names of the first organization's meetings after the import, in order. */
  readonly namesAfter: readonly string[];
  /** By how many megabytes the slow readers raised the peak memory. NaN if the system does not report it. */
  readonly added: number;
  /** The number of log lines about readers who disconnected: one each. */
  readonly left: number;
  readonly exitCode: number | null;
}

export interface Export {
  readonly bytes: number;
  readonly hash: string;
  /** Whether the response was received to its end. */
  readonly isComplete: boolean;
}

const accessKeyOf = (organizationId: number): string => String(organizationId).repeat(24);
/** The organization of each reader: up to three exports of one organization run simultaneously. */
const READERS = [1, 1, 1, 2, 2, 2, 3, 3] as const;
const MAX_MEETINGS_OF_OTHERS = 100_000;
const EXPORT_TIMEOUT_MS = 240_000;
const allColumns = ['name', 'meeting_description', 'start_time', 'price', 'status'];

export async function tryExports({
  url,
  meetings,
  readers = READERS.length,
  env: given = {},
}: ExportTrial): Promise<ExportTrialReport> {
  const directory = temporaryDirectory();
  const cwd = directory.path;
  const port = await freePort();
  const env = {
    ...given,
    PORT: String(port),
    SECRET_KEY: 'a secret key of more than 32 characters',
    LOG_LEVEL: 'info',
    ...(url === undefined ? {} : { DATABASE_URL: url }),
  };
  const load = async (name: string, lines: Iterable<string>): Promise<void> => {
    const file = join(cwd, name);
    await writeFile(file, lines);
    const { code, stderr } = await run(['import', file], { cwd, env });
    if (code !== 0) throw new Error(stderr);
  };
  try {
    await load('all.ndjson', dataset(meetings, readers));
    const server = start(['serve'], { cwd, env });
    try {
      await server.see(/"msg":"Listening"/);
      const pid = server.child.pid ?? 0;
      const organizations = await Promise.all([1, 2, 3].map((id) => signedIn(port, id)));
      const befores: Export[] = [];
      for (const reader of organizations) befores.push(await readAll(await startExport(reader)));
      const [first, before] = [organizations[0], befores[0]];
      if (first === undefined || before === undefined) throw new Error('there is no organization');
      const ofEach = <T>(list: readonly T[]): readonly T[] => READERS.flatMap((id) => list.slice(id - 1, id));
      const reading = ofEach(organizations).slice(0, readers);
      for (const response of await startExports(reading)) response.destroy();
      const peakBefore = memoryOf(pid, 'peak');
      const slow = await startExports(reading);
      await load('changes.ndjson', changes(meetings));
      const eight = await Promise.all(slow.map(readAll));
      const added = memoryOf(pid, 'peak') - peakBefore;
      const namesAfter = await names(first);
      const { code } = await server.stop();
      const left = server.stdout().match(/"cutOff":true/g)?.length ?? 0;
      const beforeEach = ofEach(befores);
      return { before, beforeEach, eight, namesAfter, added, left, exitCode: code };
    } finally {
      await server.discard();
    }
  } finally {
    directory.remove();
  }
}

/** Organizations without a reader have one meeting. */
function* dataset(meetings: number, readers: number): Generator<string> {
  for (const id of [1, 2, 3])
    yield `{"kind":"organization","id":${id},"name":"Trial","eap":false,"access_key":"${accessKeyOf(id)}"}\n`;
  for (let id = 1; id <= meetings; id += 1) yield meeting({ id, name: `Meeting ${id}`, status: 'complete' });
  const read = new Set<number>(READERS.slice(0, readers));
  for (const organizationId of [2, 3]) {
    const count = read.has(organizationId) ? Math.min(meetings, MAX_MEETINGS_OF_OTHERS) : 1;
    for (let number = 1; number <= count; number += 1) {
      const id = organizationId * 10_000_000 + number;
      yield meeting({ id, organizationId, name: `Meeting ${id}`, status: 'complete' });
    }
  }
}

/** The last meeting gets a new name, one is added after it, and the one before it is cancelled. */
function* changes(meetings: number): Generator<string> {
  yield meeting({ id: meetings - 1, name: `Meeting ${meetings - 1}`, status: 'cancel' });
  yield meeting({ id: meetings, name: 'Changed', status: 'complete' });
  yield meeting({ id: meetings + 1, name: 'Added', status: 'complete' });
}

const description = 'A quiet hour, "quotes", \\ and commas included;\ntea is provided. '.repeat(9);

function meeting({
  id,
  organizationId = 1,
  name,
  status,
}: {
  readonly id: number;
  readonly organizationId?: number;
  readonly name: string;
  readonly status: string;
}): string {
  const start = Date.UTC(2020, 0, 1) + id * 60_000;
  const record = {
    kind: 'meeting',
    ...{ id, organization_id: organizationId, name, status, meeting_type: 'Group', topic: 'Grief' },
    ...{ start_time: new Date(start).toISOString(), end_time: new Date(start + 3_600_000).toISOString() },
    ...{ duration: 60, host: 'Dana K.', location: 'zoom', price: 12.5, max_attendees: 12 },
    ...{ meeting_description: description, wait_list: true },
  };
  return `${JSON.stringify(record)}\n`;
}

// ── Readers ────────────────────────────────────────────────────────────────────────────────────────────────

interface Reader {
  readonly port: number;
  readonly organizationId: number;
  readonly token: string;
}

async function signedIn(port: number, organizationId: number): Promise<Reader> {
  const token = await tokenOf(`http://127.0.0.1:${port}`, accessKeyOf(organizationId));
  return { port, organizationId, token };
}

/** Requests an export, and returns the response as soon as its headers have arrived. */
function startExport(
  { port, organizationId, token }: Reader,
  columns: readonly string[] = allColumns,
): Promise<IncomingMessage> {
  const path = `/api/v2/organizations/${organizationId}/export_meetings?${columns.map((key) => `column=${key}`).join('&')}`;
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { port, path, headers: { Authorization: `Bearer ${token}` }, agent: false, timeout: EXPORT_TIMEOUT_MS },
      (response) =>
        response.statusCode === 200 ? resolve(response) : reject(new Error(String(response.statusCode))),
    );
    request.on('error', reject).on('timeout', () => request.destroy(new Error('no response')));
    request.end();
  });
}

function startExports(readers: readonly Reader[]): Promise<readonly IncomingMessage[]> {
  return Promise.all(readers.map((reader) => startExport(reader)));
}

async function readAll(response: IncomingMessage): Promise<Export> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of response) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  return { bytes, hash: hash.digest('hex'), isComplete: response.complete };
}

async function names(reader: Reader): Promise<readonly string[]> {
  const chunks = (await (await startExport(reader, ['name'])).toArray()) as Buffer[];
  const { meetings } = JSON.parse(Buffer.concat(chunks).toString()) as {
    readonly meetings: readonly { readonly name: string }[];
  };
  return meetings.map(({ name }) => name);
}
