import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { freePort, run, start, temporaryDirectory } from './app-cli.js';

/**
 * Many rows go out to readers who are slow, who leave, and who come eight at once, of three organizations, while an
 * import changes, adds and cancels meetings at the end of what is being read.
 */
export interface ExportTrial {
  /** Of an empty database; left out: an SQLite file. */
  readonly url?: string;
  /** Of the first organization; those of the other two that are read have as many, or a hundred thousand. */
  readonly meetings: number;
  /** How many at once; eight where it is left out. */
  readonly readers?: number;
  /** For both programs, the import and the server. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface ExportTrialReport {
  /** Of the first organization, before anything changed. */
  readonly before: Export;
  /** Of the organization of each of the eight, before anything changed. */
  readonly beforeEach: readonly Export[];
  /** Of the eight that had begun before the import, and were read after it. */
  readonly eight: readonly Export[];
  /** Names after the import, from the first to the last. */
  readonly namesAfter: readonly string[];
  /** Megabytes that eight slow readers added to the largest memory; NaN where the system does not tell. */
  readonly added: number;
  /** What the server said of the readers who left: one line each. */
  readonly left: number;
  readonly exitCode: number | null;
}

export interface Export {
  readonly bytes: number;
  readonly hash: string;
  /** Whether the answer came to its end. */
  readonly isComplete: boolean;
}

const accessKeyOf = (organizationId: number): string => String(organizationId).repeat(24);
/** The organization of each reader: three of one are served at once. */
const READERS = [1, 1, 1, 2, 2, 2, 3, 3] as const;
const MAX_MEETINGS_OF_OTHERS = 100_000;
const EXPORT_TIMEOUT_MS = 240_000;
const columns = ['name', 'meeting_description', 'start_time', 'price', 'status'];

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
      for (const asked of organizations) befores.push(await readAll(await begin(asked)));
      const [first, before] = [organizations[0], befores[0]];
      if (first === undefined || before === undefined) throw new Error('there is no organization');
      const ofEach = <T>(list: readonly T[]): readonly T[] => READERS.flatMap((id) => list.slice(id - 1, id));
      const reading = ofEach(organizations).slice(0, readers);
      for (const response of await beginMany(reading)) response.destroy();
      const peakBefore = peakOf(pid);
      const slow = await beginMany(reading);
      await load('changes.ndjson', changes(meetings));
      const eight = await Promise.all(slow.map(readAll));
      const added = peakOf(pid) - peakBefore;
      const namesAfter = await names(first);
      const { code } = await server.stop();
      const left = server.stdout().match(/"cutOff":true/g)?.length ?? 0;
      const beforeEach = ofEach(befores);
      return { before, beforeEach, eight, namesAfter, added, left, exitCode: code };
    } finally {
      await server.stop('SIGKILL');
    }
  } finally {
    directory.remove();
  }
}

/** Organizations that nobody reads from have one meeting. */
function* dataset(meetings: number, readers: number): Generator<string> {
  for (const id of [1, 2, 3])
    yield `{"kind":"organization","id":${id},"name":"Trial","eap":false,"access_key":"${accessKeyOf(id)}"}\n`;
  for (let id = 1; id <= meetings; id += 1) yield meeting({ id, name: `Meeting ${id}`, status: 'complete' });
  const read = new Set<number>(READERS.slice(0, readers));
  for (const organizationId of [2, 3]) {
    const most = read.has(organizationId) ? Math.min(meetings, MAX_MEETINGS_OF_OTHERS) : 1;
    for (let number = 1; number <= most; number += 1) {
      const id = organizationId * 10_000_000 + number;
      yield meeting({ id, organizationId, name: `Meeting ${id}`, status: 'complete' });
    }
  }
}

/** The last one changes its name, one is added after it, and the one before it is cancelled. */
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
    ...{
      id,
      organization_id: organizationId,
      name,
      status,
      meeting_type: 'Group',
      topic: 'Grief',
      special_focus: '',
    },
    ...{ start_time: new Date(start).toISOString(), end_time: new Date(start + 3_600_000).toISOString() },
    ...{ duration: 60, host: 'Dana K.', location: 'zoom', price: 12.5, max_attendees: 12 },
    ...{ meeting_description: description, group_leader_id: null, privacy: false, eap: false },
    ...{ allow_meeting_donation: false, invitation_only: false, wait_list: true },
  };
  return `${JSON.stringify(record)}\n`;
}

// ── Readers ────────────────────────────────────────────────────────────────────────────────────────────────

interface Asked {
  readonly port: number;
  readonly organizationId: number;
  readonly token: string;
}

async function signedIn(port: number, organizationId: number): Promise<Asked> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v2/authenticate`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ access_key: accessKeyOf(organizationId) }),
  });
  const { token } = (await answer.json()) as { readonly token: string };
  return { port, organizationId, token };
}

/** An answer of which the head is there, and that is read no further. */
function begin(
  { port, organizationId, token }: Asked,
  asked: readonly string[] = columns,
): Promise<IncomingMessage> {
  const path = `/api/v2/organizations/${organizationId}/export_meetings?${asked.map((key) => `column=${key}`).join('&')}`;
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { port, path, headers: { Authorization: `Bearer ${token}` }, agent: false, timeout: EXPORT_TIMEOUT_MS },
      (response) =>
        response.statusCode === 200 ? resolve(response) : reject(new Error(String(response.statusCode))),
    );
    request.on('error', reject).on('timeout', () => request.destroy(new Error('no answer')));
    request.end();
  });
}

function beginMany(readers: readonly Asked[]): Promise<readonly IncomingMessage[]> {
  return Promise.all(readers.map((asked) => begin(asked)));
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

async function names(asked: Asked): Promise<readonly string[]> {
  const chunks = (await (await begin(asked, ['name'])).toArray()) as Buffer[];
  const { meetings } = JSON.parse(Buffer.concat(chunks).toString()) as {
    readonly meetings: readonly { readonly name: string }[];
  };
  return meetings.map(({ name }) => name);
}

/** Megabytes. */
function peakOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}
