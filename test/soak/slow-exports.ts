import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { freePort, run, start, temporaryDirectory } from '../support/app-cli.js';
import { startPostgresServer } from '../support/postgres-server.js';

/**
 * Eight readers take one organization's full export at 20 KB/s and then at almost nothing, while another organization
 * exports again and again. As a program: `node test/dist/soak/slow-exports.js`.
 */
const MEETINGS = { 1: 40_000, 2: 5_000 } as const;
const READERS = 8;
const SLOW_BYTES_A_SECOND = 20_480;
const STALLED_BYTES_A_SECOND = 1_024;
const SLOW_PHASE_MS = 30_000;
const MAX_EXPORT_MS = 5_000;
/** A reader may stall for a minute; a busy machine and full buffers may add to it. */
const MAX_STALL_MS = 100_000;

type OrganizationId = keyof typeof MEETINGS;

function* dataset(): Generator<string> {
  let id = 0;
  for (const organization_id of [1, 2] as const) {
    const access_key = String(organization_id).repeat(24);
    yield JSON.stringify({ kind: 'organization', id: organization_id, name: 'Slow', eap: false, access_key });
    for (let count = 0; count < MEETINGS[organization_id]; count += 1) {
      id += 1;
      const start = Date.UTC(2020, 0, 1) + id * 60_000;
      yield JSON.stringify({
        kind: 'meeting',
        ...{ id, organization_id, name: `Meeting ${id}`, meeting_type: 'Group', status: 'complete' },
        ...{ start_time: new Date(start).toISOString(), duration: 60, topic: 'Grief', host: 'Dana K.' },
        ...{ location: 'zoom', max_attendees: 12, meeting_description: 'A quiet hour. '.repeat(50) },
      });
    }
  }
}

interface Reader {
  /** Null: there is none yet. */
  readonly status: () => number | null;
  readonly isOpen: () => boolean;
  pace(bytesASecond: number): void;
  leave(): void;
}

const exportOf = (organizationId: OrganizationId): string =>
  `/api/v2/organizations/${organizationId}/export_meetings?column[]=name&column[]=meeting_description`;

function openReader(port: number, token: string): Reader {
  let rate = SLOW_BYTES_A_SECOND;
  let head = '';
  let isOpen = true;
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET ${exportOf(1)} HTTP/1.1\r\nHost: slow\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  socket
    .on('data', (data: Buffer) => {
      if (head === '') head = data.toString('latin1', 0, 20);
      socket.pause();
      setTimeout(() => socket.resume(), (data.length / rate) * 1000);
    })
    .on('error', () => undefined)
    .on('close', () => {
      isOpen = false;
    });
  return {
    status: () => Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0) || null,
    isOpen: () => isOpen,
    pace(bytesASecond) {
      rate = bytesASecond;
    },
    leave: () => void socket.destroy(),
  };
}

async function tokenOf(port: number, organizationId: OrganizationId): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v2/authenticate`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ access_key: String(organizationId).repeat(24) }),
  });
  return ((await answer.json()) as { readonly token: string }).token;
}

interface Exported {
  readonly status: number;
  readonly elapsedMs: number;
}

async function exportOnce(port: number, token: string): Promise<Exported> {
  const startedAt = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}${exportOf(2)}`, {
    headers: { Authorization: `Bearer ${token}`, 'Accept-Encoding': 'identity' },
  });
  const { meetings } = answer.ok
    ? ((await answer.json()) as { readonly meetings: readonly unknown[] })
    : { meetings: [] };
  const isWhole = !answer.ok || meetings.length === MEETINGS[2];
  return { status: isWhole ? answer.status : 0, elapsedMs: performance.now() - startedAt };
}

/** The number of the service's transactions that hold a snapshot. */
async function snapshotsOn(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ readonly held: string }>(
      `SELECT count(*) AS held FROM pg_stat_activity
      WHERE application_name = 'rollcall' AND backend_xmin IS NOT NULL AND query LIKE '%COPY%'`,
    );
    return Number(rows[0]?.held);
  } finally {
    await client.end();
  }
}

async function attack(port: number, url: string | null): Promise<Readonly<Record<string, unknown>>> {
  const [own, other] = [await tokenOf(port, 1), await tokenOf(port, 2)];
  const readers = Array.from({ length: READERS }, () => openReader(port, own));
  const found: Exported[] = [];
  for (const until = performance.now() + SLOW_PHASE_MS; performance.now() < until; await pause(500))
    found.push(await exportOnce(port, other));
  const statuses = readers.map((reader) => reader.status());
  const reading = readers.filter((reader) => reader.status() === 200);
  const stillOpen = reading.filter((reader) => reader.isOpen()).length;
  const held = url === null ? null : await snapshotsOn(url);

  for (const reader of readers) reader.pace(STALLED_BYTES_A_SECOND);
  const startedAt = performance.now();
  // A reader notices a closed connection only after it has read all that was sent before.
  while (performance.now() - startedAt < MAX_STALL_MS && (await isServing(port, own)) === false)
    await pause(1_000);
  const endedAfter = performance.now() - startedAt;
  const left = url === null ? null : await snapshotsOn(url);
  for (const reader of readers) reader.leave();
  const slowest = Math.max(...found.map(({ elapsedMs }) => elapsedMs));
  return {
    statuses,
    stillOpen,
    held,
    left,
    endedAfter,
    others: { exports: found.length, slowest },
    isRight: {
      three: statuses.filter((status) => status === 200).length === 3,
      refused: statuses.filter((status) => status === 429).length === READERS - 3,
      others: found.every(({ status, elapsedMs }) => status === 200 && elapsedMs < MAX_EXPORT_MS),
      ended: endedAfter < MAX_STALL_MS && (left === null || left < 3),
    },
  };
}

/** Whether the organization may export again. */
async function isServing(port: number, token: string): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}${exportOf(1)}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  await answer.body?.cancel();
  return answer.status === 200;
}

for (const engine of ['sqlite', 'postgres'] as const) {
  const server = engine === 'postgres' ? await startPostgresServer({ durable: true }) : null;
  const directory = temporaryDirectory();
  try {
    const port = await freePort();
    const env = {
      PORT: String(port),
      SECRET_KEY: 'a secret key of more than 32 characters',
      ...(server === null ? {} : { DATABASE_URL: server.url() }),
    };
    const cwd = directory.path;
    const imported = await run(['import', '-'], { cwd, env, input: [...dataset()].join('\n') });
    if (imported.code !== 0) throw new Error(imported.stderr);
    const serving = start(['serve'], { cwd, env });
    try {
      await serving.see(/"msg":"Listening"/);
      const report = await attack(port, server?.url() ?? null);
      process.stdout.write(`${JSON.stringify({ engine, ...report }, null, 2)}\n`);
      if (Object.values(report.isRight as object).includes(false)) process.exitCode = 1;
    } finally {
      await serving.stop('SIGKILL');
    }
  } finally {
    directory.remove();
    await server?.remove();
  }
}
