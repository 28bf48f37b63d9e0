import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { prometheusMetrics } from '#adapters/node/system/metrics.js';
import { openDatabase } from '#adapters/sql/index.js';
import { eventName } from '#core/testing/subscribe.js';
import { authenticate, tokenOf } from '../support/api.js';
import { freePort, linesOf, type Running, run, start, temporaryDirectory } from '../support/app-cli.js';
import { startPostgresUrl } from '../support/postgres.js';
import { slowness } from '../support/slowness.js';

const guide = fileURLToPath(new URL('../../../contracts/operating.md', import.meta.url));
const SECRET_KEY = 'a secret key of more than 32 characters';
const accessKey = '1'.repeat(24);

let directory: ReturnType<typeof temporaryDirectory>;
let cwd: string;
let port: number;
let metricsPort: number;
let running: Running[];

async function serve(env: Readonly<Record<string, string>> = {}): Promise<Running> {
  const server = start(['serve'], {
    cwd,
    env: { PORT: String(port), METRICS_PORT: String(metricsPort), SECRET_KEY, ...env },
  });
  running.push(server);
  await server.see(/"msg":"Listening"/);
  return server;
}

async function load(env: Readonly<Record<string, string>> = {}): Promise<void> {
  const records = [
    { kind: 'organization', id: 1, name: 'Northwind Wellness', access_key: accessKey },
    ...[1, 2, 3].map((id) => ({
      ...{ kind: 'meeting', id, organization_id: 1, name: `Circle ${id}`, meeting_type: 'Group' },
      ...{ start_time: '2026-01-01T10:00:00Z', end_time: '2026-01-01T11:00:00Z', status: 'complete' },
      location: 'zoom',
    })),
  ];
  writeFileSync(join(cwd, 'data.ndjson'), records.map((record) => JSON.stringify(record)).join('\n'));
  const { code, stderr } = await run(['import', 'data.ndjson'], { cwd, env: { SECRET_KEY, ...env } });
  assert.equal(code, 0, stderr);
}

const metricsUrl = (): string => `http://127.0.0.1:${metricsPort}`;

/** What the dashboard 11159 of Grafana, made for prom-client, asks for, with the labels by which it groups. */
const nodeDashboard: Readonly<Record<string, readonly string[]>> = {
  process_cpu_user_seconds_total: [],
  process_cpu_system_seconds_total: [],
  process_resident_memory_bytes: [],
  process_start_time_seconds: [],
  nodejs_eventloop_lag_seconds: [],
  nodejs_version_info: ['version'],
  nodejs_heap_size_total_bytes: [],
  nodejs_heap_size_used_bytes: [],
  nodejs_external_memory_bytes: [],
  nodejs_active_handles_total: [],
  nodejs_active_requests_total: [],
  nodejs_heap_space_size_total_bytes: ['space'],
  nodejs_heap_space_size_used_bytes: ['space'],
  nodejs_heap_space_size_available_bytes: ['space'],
};

/** The value of every series, by its name with its labels. */
type Values = Readonly<Record<string, number>>;

async function scrape(): Promise<Values> {
  const answer = await fetch(`${metricsUrl()}/metrics`);
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  const lines = linesOf(await answer.text()).filter((line) => !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => /^(.+) (\S+)$/.exec(line)?.slice(1) ?? [])) as never;
}

async function scrapeNumbers(): Promise<Values> {
  return Object.fromEntries(Object.entries(await scrape()).map(([name, value]) => [name, Number(value)]));
}

/** Scrapes until the value is right, for at most 15 s. */
async function scrapeUntil(name: string, isRight: (value: number | undefined) => boolean): Promise<Values> {
  for (const deadline = performance.now() + 60_000; ; await pause(200)) {
    const values = await scrapeNumbers();
    if (isRight(values[name])) return values;
    assert.ok(performance.now() < deadline, `${name} is ${values[name]}`);
  }
}

/** The status of a request whose `Host` is not the host that it is sent to. */
async function statusAt(url: string, host: string): Promise<number | undefined> {
  const outgoing = request(`${url}/metrics`, { headers: { host } }).end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return answer.resume().statusCode;
}

const at = (): string => `http://127.0.0.1:${port}`;

function ask(path: string, init?: RequestInit): Promise<Response> {
  return fetch(`${at()}${path}`, init);
}

const requests = (method: string, route: string, status: number): string =>
  `rollcall_http_requests_total{method="${method}",route="${route}",status="${status}"}`;

async function prepareFolder(): Promise<void> {
  directory = temporaryDirectory();
  cwd = directory.path;
  port = await freePort();
  metricsPort = await freePort();
  running = [];
}

async function cleanUp(): Promise<void> {
  await Promise.all(running.map((one) => one.discard()));
  directory.remove();
}

describe('METRICS_PORT', () => {
  before(async () => {
    await prepareFolder();
    await load();
    await serve();
  });
  after(cleanUp);

  test('counts requests by route, never by path, and exports by bytes', async () => {
    const token = await tokenOf(at(), accessKey);
    await authenticate(at(), '9'.repeat(24));
    const headers = { Authorization: `Bearer ${token}` };
    const path = '/api/v2/organizations/1/export_meetings?column[]=name';
    const whole = await (await ask(path, { headers })).text();
    const page = await (await ask(`${path}&page=1`, { headers })).text();
    for (const unknown of ['/nothing', '/else', '/api/v2/organizations/1/nothing'])
      await (await ask(unknown)).text();
    await (await ask('/invitations/a-token-that-nobody-made')).text();

    const exports = requests('GET', '/api/v2/organizations/:organizationId/export_meetings', 200);
    const values = await scrapeUntil(exports, (count) => count === 2);
    assert.equal(values[requests('POST', '/api/v2/authenticate', 200)], 1);
    assert.equal(values[requests('POST', '/api/v2/authenticate', 401)], 1);
    assert.equal(values[requests('GET', 'unknown', 404)], 3);
    assert.deepEqual(
      Object.keys(values).filter((name) => /nothing|else|a-token|organizations\/1/.test(name)),
      [],
    );
    const duration = `rollcall_http_request_duration_seconds_count{method="POST",route="/api/v2/authenticate"}`;
    assert.equal(values[duration], 2);
    const bytes = values.rollcall_export_bytes_total ?? 0;
    // Counted before compression, which fetch asks for.
    assert.equal(bytes, Buffer.byteLength(whole) + Buffer.byteLength(page));
  });

  test('exposes every metric that the guide names, and no others of Rollcall', async () => {
    const token = await tokenOf(at(), accessKey);
    await ask('/api/v2/organizations/1/export_meetings?column[]=name', {
      headers: { Authorization: `Bearer ${token}` },
    });
    assert.equal(await statusAt(metricsUrl(), 'rebound.example.com'), 400);
    assert.equal(await statusAt(metricsUrl(), 'rollcall.default.svc.cluster.local:9464'), 200);
    assert.equal(
      await statusAt(`http://127.0.0.1:${port}`, 'rebound.example.com'),
      404,
      'proxies send any name',
    );
    const text = await (await fetch(`${metricsUrl()}/metrics`)).text();
    const exposed = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);
    const table = readFileSync(guide, 'utf8').split('## Metrics')[1]?.split('\n## ')[0] ?? '';
    const named = [...table.matchAll(/`((?:rollcall|nodejs|process)_\w+)/g)].map(([, name = '']) => name);
    assert.ok(named.length > 10, String(named.length));
    const missing = named.filter((name) => !exposed.includes(name));
    assert.deepEqual(missing, []);
    const own = exposed.filter((name) => !/^(nodejs|process)_/.test(name));
    assert.deepEqual(
      own.filter((name) => !named.includes(name)),
      [],
    );
    assert.deepEqual(
      exposed.filter((name) => !/^(rollcall|nodejs|process)_/.test(name)),
      [],
    );
    assert.ok(text.includes(`\nrollcall_time_zone_data_info{version="${process.versions.tz}"} 1\n`));
    assert.match(
      text,
      /^rollcall_build_info\{version="\d+\.\d+\.\d+",revision="(?:[0-9a-f]{12}\+?|unknown)"\} 1$/m,
    );
    assert.ok(!/Northwind|organizations\/1/.test(text));
  });

  test('exposes what a common dashboard for Node.js asks for, with its labels', async () => {
    const series = Object.keys(await scrape());
    for (const [name, labels] of Object.entries(nodeDashboard)) {
      const found = series.filter((one) => one.replace(/\{.*/, '') === name);
      assert.ok(found.length > 0, name);
      for (const label of labels)
        for (const one of found) assert.ok(one.includes(`${label}="`), `${one}: ${label}`);
    }
  });

  test('exposes the size of the outbox, the age of its oldest event, and the outcomes of deliveries', async (t) => {
    const before = await scrapeUntil('rollcall_database_listening', (is) => is === 1);
    assert.equal(before['rollcall_outbox_deliveries{state="pending"}'], 0);
    assert.equal(before.rollcall_outbox_oldest_pending_age_seconds, 0);
    assert.equal(before['rollcall_deliveries_total{outcome="skipped"}'], 0);
    assert.equal(before.rollcall_database_up, 1);
    assert.equal(before.rollcall_database_writable, 1);
    assert.equal(before.rollcall_database_promotions_total, 0);
    assert.equal(before.rollcall_lost_events_total, 0);
    assert.ok((before['rollcall_database_connections{role="reader",state="used"}'] ?? 0) >= 1);
    assert.equal(before['rollcall_database_waiting_requests{role="writer"}'], 0);

    const database = await openDatabase(join(cwd, 'data', 'rollcall.db'));
    t.after(() => database.close());
    const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1000);
    // Another process is sending four deliveries of the organization, the maximum: the pending ones stay pending.
    const insert = `INSERT INTO deliveries (organization_id, event_id, event_name, body, state, created_at, claim, claimed_at)
      VALUES (1, ?, '${eventName}', '{}', ?, ?, ?, ?)`;
    await database.write(async (sql) => {
      for (const id of [1, 2, 3, 4]) await sql.run(insert, [`s${id}`, 'sending', ago(1), 'x', ago(1)]);
      await sql.run(insert, ['p1', 'pending', ago(100), null, null]);
      await sql.run(insert, ['p2', 'pending', ago(50), null, null]);
    });
    const full = await scrapeUntil('rollcall_outbox_deliveries{state="pending"}', (count) => count === 2);
    assert.equal(full['rollcall_outbox_deliveries{state="sending"}'], 4);
    assert.equal(full['rollcall_outbox_deliveries{state="held"}'], 0);
    const age = full.rollcall_outbox_oldest_pending_age_seconds ?? 0;
    assert.ok(age >= 100 && age < 130, String(age));

    await database.write((sql) => sql.run(`DELETE FROM deliveries WHERE state = 'sending'`));
    const after = await scrapeUntil('rollcall_deliveries_total{outcome="skipped"}', (count) => count === 2);
    assert.equal(after['rollcall_deliveries_total{outcome="delivered"}'], 0);
  });

  test('answers only GET /metrics, and the public port does not serve it', async () => {
    for (const [path, method] of [
      ['/', 'GET'],
      ['/metrics/', 'GET'],
      ['/healthz', 'GET'],
      ['/metrics', 'POST'],
      ['/metrics', 'HEAD'],
    ] as const) {
      assert.deepEqual([path, (await fetch(`${metricsUrl()}${path}`, { method })).status], [path, 404]);
    }
    assert.equal((await ask('/metrics')).status, 404);
    const slow = connect(metricsPort, '127.0.0.1');
    await once(slow, 'connect');
    slow.write('GET /metrics HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    const from = performance.now();
    let answer = '';
    for await (const text of slow.setEncoding('utf8')) answer += text;
    assert.match(answer, /^HTTP\/1\.1 408 /);
    assert.ok(performance.now() - from < 9_000 * slowness());
  });

  test('reports a port in use, an unknown address or the value of PORT in one line', async () => {
    const cwd = join(directory.path, 'other');
    mkdirSync(cwd);
    const [port, metricsPort] = [await freePort(), await freePort()];
    const other = createServer().listen(metricsPort, '127.0.0.1');
    await once(other, 'listening');
    const base = { PORT: String(port), METRICS_PORT: String(metricsPort), SECRET_KEY, LOG_LEVEL: 'warn' };
    try {
      const taken = await run(['serve'], { cwd, env: base });
      assert.deepEqual(
        [taken.code, linesOf(taken.stderr)],
        [
          1,
          [
            `METRICS_PORT: ${metricsPort} on 127.0.0.1 is taken by another program; stop it, or choose another METRICS_PORT, for example ${metricsPort + 1}`,
          ],
        ],
      );
    } finally {
      other.close();
    }
    const unknownAddress = await run(['serve'], { cwd, env: { ...base, METRICS_HOST: '192.0.2.1' } });
    assert.deepEqual(
      [unknownAddress.code, linesOf(unknownAddress.stderr)],
      [
        2,
        ['METRICS_HOST: 192.0.2.1 is not an address of this machine; it must be one, for example 127.0.0.1'],
      ],
    );
    const same = await run(['serve'], { cwd, env: { ...base, METRICS_PORT: String(port) } });
    assert.equal(same.code, 2);
    assert.match(same.stderr, /^METRICS_PORT: \d+ is also PORT; it must be .+, for example .+$/m);
  });

  // The last test that needs the server.
  test('stops with the service, although a connection is kept alive', async () => {
    const [server] = running;
    const keptAlive = await fetch(`${metricsUrl()}/metrics`);
    await keptAlive.text();
    assert.equal((await server?.stop())?.code, 0);
    await assert.rejects(fetch(`${metricsUrl()}/metrics`));
  });
});

describe('Metrics over PostgreSQL', () => {
  beforeEach(prepareFolder);
  afterEach(cleanUp);

  test('report that the database is unavailable, and keep working', async (t) => {
    const { url, stop } = await startPostgresUrl({ migrated: false });
    let isRunning = true;
    const stopDatabase = async (): Promise<void> => {
      if (isRunning) await stop();
      isRunning = false;
    };
    t.after(stopDatabase);
    const server = await serve({ DATABASE_URL: url });
    const values = await scrapeUntil('rollcall_database_listening', (is) => is === 1);
    assert.equal(values.rollcall_database_up, 1);
    assert.equal(values['rollcall_outbox_deliveries{state="pending"}'], 0);
    assert.ok('rollcall_database_connections{role="ordinary",state="used"}' in values);
    await stopDatabase();
    const unavailable = await scrapeUntil('rollcall_database_up', (up) => up === 0);
    assert.equal(unavailable.rollcall_database_writable, 0);
    assert.deepEqual(
      Object.keys(unavailable).filter((name) => name.startsWith('rollcall_outbox_')),
      [],
    );
    assert.ok('nodejs_eventloop_lag_p99_seconds' in unavailable);
    await scrapeUntil('rollcall_database_listening', (is) => is === 0);
    assert.equal(server.stdout().match(/"msg":"Notifications of other processes do not arrive/g)?.length, 1);
  });

  test('say at once when nothing can be written, and count promotions and lost events once', async () => {
    let problem: string | null = null;
    let history = { promotions: 1, lostEvents: 184 };
    const metrics = prometheusMetrics({
      version: '0.0.0',
      backlog: async () => ({ pending: 0, sending: 0, held: 0, failed: 0, oldestPending: null }),
      writeProblem: async () => problem,
      pools: () => [],
      history: () => history,
      now: () => Date.now(),
    });
    const server = createServer(metrics.handler).listen(metricsPort, '127.0.0.1');
    await once(server, 'listening');
    try {
      const seen = async () => {
        const values = await scrapeNumbers();
        return [
          values.rollcall_database_writable,
          values.rollcall_database_promotions_total,
          values.rollcall_lost_events_total,
        ];
      };
      assert.deepEqual(await seen(), [1, 1, 184]);
      [problem, history] = ['read-only', { promotions: 2, lostEvents: 185 }];
      assert.deepEqual(await seen(), [0, 2, 185]);
      problem = null;
      assert.deepEqual(await seen(), [1, 2, 185]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test('wait at most two seconds for a database that does not answer, and query it once', async () => {
    let queries = 0;
    const metrics = prometheusMetrics({
      version: '0.0.0',
      backlog: () => {
        queries += 1;
        return new Promise(() => undefined);
      },
      writeProblem: () => {
        queries += 1;
        return new Promise(() => undefined);
      },
      pools: () => [],
      now: () => Date.now(),
    });
    const server = createServer(metrics.handler).listen(metricsPort, '127.0.0.1');
    await once(server, 'listening');
    try {
      const from = performance.now();
      const answers = await Promise.all([scrapeNumbers(), scrapeNumbers()]);
      assert.ok(performance.now() - from < 3_000 * slowness());
      assert.deepEqual(
        answers.map((values) => values.rollcall_database_up),
        [0, 0],
      );
      assert.equal(queries, 2);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
