import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort, linesOf, type Running, run, start, temporaryDirectory } from '../support/app-cli.js';
import { pageClient } from '../support/page/client.js';
import { startReceiver } from '../support/receiver.js';
import { SqliteDatabase } from '../support/sqlite.js';

const accessKey = '1'.repeat(24);
const people = [
  { kind: 'organization', id: 1, name: 'Northwind', access_key: accessKey },
  {
    kind: 'user',
    id: 1,
    uuid: '8f6f1c52-52d2-4f3b-9a8e-0e6a2b7f0001',
    email: 'owner@example.test',
    first_name: 'O',
    last_name: 'W',
  },
  { kind: 'membership', organization_id: 1, user_id: 1, role: 'owner' },
];

let directory: ReturnType<typeof temporaryDirectory>;
let cwd: string;
let port: number;
let running: Running[];
beforeEach(async () => {
  directory = temporaryDirectory();
  cwd = directory.path;
  port = await freePort();
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((one) => one.stop('SIGKILL')));
  directory.remove();
});

async function serve(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const server = start(['serve', ...args], { cwd, env: { PORT: String(port), ...env } });
  running.push(server);
  await server.see(/"msg":"Listening"/);
  return server;
}

async function importPeople(): Promise<void> {
  writeFileSync(join(cwd, 'people.ndjson'), people.map((record) => JSON.stringify(record)).join('\n'));
  const { code, stderr } = await run(['import', 'people.ndjson'], { cwd });
  assert.equal(code, 0, stderr);
}

/** What the tests read of an answer, whichever it is. */
interface Body {
  readonly success: unknown;
  readonly user: { readonly invitation_url: string };
  readonly webhook: { readonly secret: string };
}

async function tokenOf(access_key: string): Promise<{ readonly token: string }> {
  const answer = await fetch(`http://localhost:${port}/api/v2/authenticate`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ access_key }),
  });
  return (await answer.json()) as { readonly token: string };
}

/** The interface, called as the organization. */
async function signedIn() {
  const api = `http://localhost:${port}/api/v2`;
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${api}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const { token } = await tokenOf(accessKey);
  return {
    post: async (path: string, body: unknown) =>
      (await (
        await post(`/organizations/1${path}`, body, { Authorization: `Bearer ${token}` })
      ).json()) as Body,
  };
}

/** Invites somebody and accepts in the browser. */
async function register(email: string): Promise<void> {
  const { post } = await signedIn();
  const { user } = await post('/invite_user', { email, first_name: 'Ada', last_name: 'Lovelace' });
  const origin = `http://localhost:${port}`;
  const accepted = await pageClient({ url: origin, origin }).fillIn(new URL(user.invitation_url).pathname, {
    password: 'long enough',
  });
  assert.equal(accepted.status, 303, accepted.text);
}

describe('rollcall serve', () => {
  test('answers when it says that it listens, and prints its configuration with secrets masked', async () => {
    const server = await serve([], { SECRET_KEY: 'a secret key of more than 32 characters' });
    const answers = await Promise.all(
      ['/healthz', '/readyz'].map((path) => fetch(`http://localhost:${port}${path}`)),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    const [first = ''] = linesOf(server.stdout());
    assert.equal(JSON.parse(first).configuration.secretKey, '***');
    assert.ok(!server.stdout().includes('a secret key'));
    assert.equal((await server.stop()).code, 0);
  });

  test('is the only one on its file: a second one refuses with one line, and the first goes on', async () => {
    await serve();
    const second = await run(['serve'], { cwd, env: { PORT: String(await freePort()) } });
    assert.deepEqual(
      [second.code, second.stdout, linesOf(second.stderr)],
      [
        1,
        '',
        [
          'Another process serves sqlite:data/rollcall.db already, and only one can serve an SQLite file. Stop it first.',
        ],
      ],
    );
    assert.equal((await fetch(`http://localhost:${port}/readyz`)).status, 200);
  });

  test('serves again at once after it was killed', async () => {
    const first = await serve();
    await first.stop('SIGKILL');
    const second = await serve();
    assert.equal((await second.stop()).code, 0);
  });

  test('says in one line that its port is taken', async () => {
    await serve();
    const env = { PORT: String(port), DATABASE_URL: 'sqlite:other.db', LOG_LEVEL: 'warn' };
    const { code, stderr } = await run(['serve'], { cwd, env });
    assert.equal(code, 1);
    const lines = linesOf(stderr).filter((line) => !line.startsWith('Created a new secret key'));
    assert.deepEqual(lines, [
      `PORT: ${port} on 127.0.0.1 is taken by another program; stop it, or choose another PORT, for example ${port + 1}`,
    ]);
  });

  test('says in one line that its address is not of this machine', async () => {
    const env = {
      PORT: String(port),
      HOST: '192.0.2.1',
      LOG_LEVEL: 'warn',
      SECRET_KEY: 'a secret key of more than 32 characters',
    };
    const { code, stderr } = await run(['serve'], { cwd, env });
    assert.deepEqual(
      [code, linesOf(stderr)],
      [2, ['HOST: 192.0.2.1 is not an address of this machine; it must be one, for example 127.0.0.1']],
    );
  });

  test('with --no-migrate refuses a database that is not up to date, else starts', async () => {
    const refused = await run(['serve', '--no-migrate'], { cwd, env: { PORT: String(port) } });
    assert.equal(refused.code, 1);
    assert.match(
      linesOf(refused.stderr).at(-1) ?? '',
      /^Migrations are pending: 0001-\S+, .+\. Run: rollcall migrate$/,
    );
    await run(['migrate'], { cwd });
    const server = await serve(['--no-migrate']);
    assert.equal((await server.stop()).code, 0);
  });

  test('lets all other commands work beside it, and sees what they do', async () => {
    await serve();
    await importPeople();
    const { post } = await signedIn();
    const invited = await post('/invite_user', {
      email: 'ada@example.test',
      first_name: 'Ada',
      last_name: 'L',
    });
    assert.equal(invited.success, 'User invited successfully.');
    const key = await run(['access-key', 'generate', '--organization', '1', '--json'], { cwd });
    assert.equal(key.code, 0, key.stderr);
    const dead = await post('/invite_user', { email: 'ada@example.test', first_name: 'Ada', last_name: 'L' });
    assert.deepEqual(dead, { error: 'Unauthorized Access' });
  });

  test('lets each organization through as often a minute as REQUEST_LIMIT says', async () => {
    await importPeople();
    await serve([], { REQUEST_LIMIT: '3' });
    const { token } = await tokenOf(accessKey);
    const ask = () =>
      fetch(`http://localhost:${port}/api/v2/organizations/1/webhook`, {
        headers: { Authorization: `Bearer ${token}` },
      });
    const answers = [await ask(), await ask(), await ask(), await ask()];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 429],
    );
    const wait = Number(answers[3]?.headers.get('retry-after'));
    assert.ok(wait >= 1 && wait <= 60, String(wait));
  });

  test('with SENTRY_DSN reports to Sentry as well as to the log, and prints no key', async () => {
    const posts: { readonly url: string; readonly body: string }[] = [];
    const sentry = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      posts.push({ url: request.url ?? '', body });
      response.end();
    }).listen(0, '127.0.0.1');
    await once(sentry, 'listening');
    try {
      const { port: sentryPort } = sentry.address() as AddressInfo;
      await importPeople();
      const dsn = `http://abcdef0123456789@127.0.0.1:${sentryPort}/7`;
      const server = await serve([], { SENTRY_DSN: dsn });
      const { token } = await tokenOf(accessKey);
      const database = new SqliteDatabase(join(cwd, 'data', 'rollcall.db'));
      database.exec('ALTER TABLE webhooks RENAME TO hidden_webhooks');
      database.close();
      const broken = await fetch(`http://localhost:${port}/api/v2/organizations/1/webhook`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      assert.equal(broken.status, 500);
      const { code } = await server.stop();
      assert.equal(code, 0);
      assert.ok(posts.length > 0);
      assert.match(posts[0]?.url ?? '', /^\/api\/7\/envelope\/\?/);
      const event = JSON.parse(posts[0]?.body.split('\n')[2] ?? '');
      assert.match(event.exception.values.at(-1).value, /no such table: webhooks/);
      assert.match(event.release, /^rollcall@\d/);
      assert.match(server.stdout(), /no such table: webhooks/);
      assert.ok(!server.stdout().includes('abcdef0123456789'));
    } finally {
      sentry.closeAllConnections();
      sentry.close();
    }
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`on ${signal} finishes the request in hand, takes no other, and exits with 0`, async () => {
      const server = await serve([], { npm_command: 'exec' });
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      let answer = '';
      socket.setEncoding('utf8').on('data', (text) => {
        answer += text;
      });
      const body = JSON.stringify({ access_key: 'wrong' });
      socket.write(
        `POST /api/v2/authenticate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      await pause(200);
      server.child.kill(signal);
      await server.see(/"msg":"Stopping/);
      // A terminal and npm hand on the same Ctrl+C.
      server.child.kill(signal);
      await pause(200);
      await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`));

      socket.end(body);
      const { code } = await server.ended;
      assert.equal(code, 0);
      assert.match(answer, /^HTTP\/1\.1 401 /);
      assert.match(answer, /Invalid Access Key/);
      const messages = linesOf(server.stdout()).map((line) => JSON.parse(line).msg);
      assert.deepEqual(messages.slice(-4), [
        'Stopping: finishing what is under way',
        'Wrong access key',
        'request',
        'Stopped',
      ]);
    });
  }

  test('tells at its end how many more wrong access keys came than lines were written', async () => {
    const server = await serve();
    for (let count = 0; count < 65; count += 1) {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v2/authenticate`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ access_key: 'wrong' }),
      });
      assert.equal(answer.status, 401);
    }
    assert.equal((await server.stop()).code, 0);
    const told = linesOf(server.stdout())
      .map((line) => JSON.parse(line))
      .filter(({ security }) => security === 'authenticate-failed');
    assert.deepEqual([told.length, told.at(-1)?.more], [61, 5]);
  });

  /** A server that has been told to stop, and can't for some seconds. */
  async function stopping(signal: NodeJS.Signals, env?: Readonly<Record<string, string>>) {
    const server = await serve([], env);
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    socket.write('POST /api/v2/authenticate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n');
    await pause(200);
    server.child.kill(signal);
    await server.see(/"msg":"Stopping/);
    return { server, socket };
  }

  const second = [
    { first: 'SIGTERM', next: 'SIGTERM', wait: 0, code: 143 },
    { first: 'SIGTERM', next: 'SIGTERM', wait: 700, code: 143 },
    { first: 'SIGTERM', next: 'SIGINT', wait: 0, code: 130 },
  ] as const;
  for (const { first, next, wait, code } of second) {
    test(`ends at once on ${next}, ${wait} ms after ${first}`, async () => {
      const { server, socket } = await stopping(first);
      await pause(wait);
      assert.equal(server.child.exitCode, null);
      const begun = performance.now();
      assert.equal((await server.stop(next)).code, code);
      assert.ok(performance.now() - begun < 2_000);
      socket.destroy();
    });
  }

  test('started by npm, takes a copy of the first signal for what it is, and ends at once on the next', async () => {
    const { server, socket } = await stopping('SIGINT', { npm_command: 'exec' });
    server.child.kill('SIGINT');
    await pause(100);
    assert.equal(server.child.exitCode, null);
    assert.equal((await server.stop('SIGINT')).code, 130);
    socket.destroy();
  });

  test('started by npm, ends at once on the first signal again when it comes too late for a copy', async () => {
    const { server, socket } = await stopping('SIGTERM', { npm_command: 'exec' });
    await pause(700);
    assert.equal(server.child.exitCode, null);
    const begun = performance.now();
    assert.equal((await server.stop('SIGTERM')).code, 143);
    assert.ok(performance.now() - begun < 2_000);
    socket.destroy();
  });

  test('started by npm, ends at once on another signal than the first', async () => {
    const { server, socket } = await stopping('SIGTERM', { npm_command: 'exec' });
    assert.equal((await server.stop('SIGINT')).code, 130);
    socket.destroy();
  });
});

describe('rollcall serve and its webhooks', () => {
  async function withReceiver(answer: Parameters<typeof startReceiver>[0]) {
    const receiver = await startReceiver(answer);
    writeFileSync(join(cwd, 'ca.pem'), receiver.authority);
    const env = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32', WEBHOOK_CA_FILE: 'ca.pem' };
    await importPeople();
    const server = await serve([], env);
    const { post } = await signedIn();
    const { webhook } = await post('/webhook', {
      webhook: { url: `${receiver.url}/hook`, enabled: true, events: ['user.registered'] },
    });
    return { receiver, env, server, secret: webhook.secret };
  }

  /** Waits until so many requests have come. */
  async function received(requests: readonly unknown[], count: number): Promise<void> {
    for (let waited = 0; requests.length < count; waited += 20) {
      assert.ok(waited < 15_000, `${requests.length} of ${count} requests came`);
      await pause(20);
    }
  }

  test('on SIGTERM a delivery in hand is finished and its outcome written', async () => {
    const { receiver, server } = await withReceiver({
      answer: (_request, response) => setTimeout(() => response.end('late'), 1000),
    });
    try {
      await register('ada@example.test');
      await received(receiver.requests, 1);
      const { code } = await server.stop();
      assert.equal(code, 0);
      const delivered = linesOf(server.stdout())
        .map((line) => JSON.parse(line))
        .find(({ msg }) => msg === 'Delivered');
      assert.deepEqual([delivered?.organizationId, delivered?.phase, delivered?.status], [1, 'answer', 200]);

      const again = await serve();
      await pause(1500);
      await again.stop();
      assert.equal(receiver.requests.length, 1, 'it is not sent again');
    } finally {
      await receiver.stop();
    }
  });

  test('a delivery that a crash cut off is made again at the next start, with the same bytes and event id', async () => {
    let answers = 0;
    const { receiver, env, server } = await withReceiver({
      answer: (_request, response) => {
        answers += 1;
        if (answers > 1) response.end('ok');
      },
    });
    try {
      await register('ada@example.test');
      await received(receiver.requests, 1);
      await server.stop('SIGKILL');

      const again = await serve([], env);
      await received(receiver.requests, 2);
      await again.see(/"msg":"Delivered"/);
      assert.match(again.stdout(), /"again":1,"failed":0,"msg":"Deliveries were cut off by a crash"/);
      const [first, second] = receiver.requests;
      assert.deepEqual(second?.body, first?.body);
      assert.deepEqual(second?.headers, first?.headers);
      await again.stop();
    } finally {
      await receiver.stop();
    }
  });

  test('a failed delivery is a warning with its facts, and no secret is in the log', async () => {
    const { receiver, server, secret } = await withReceiver({
      answer: (_request, response) => response.writeHead(500).end(),
    });
    try {
      await register('ada@example.test');
      await server.see(/"msg":"Delivery failed"/);
      const failed = linesOf(server.stdout())
        .map((line) => JSON.parse(line))
        .find(({ msg }) => msg === 'Delivery failed');
      const { event_id } = JSON.parse(receiver.requests[0]?.body.toString('utf8') ?? '{}');
      assert.deepEqual(
        [failed?.level, failed?.eventId, failed?.organizationId, failed?.phase, failed?.status],
        [40, event_id, 1, 'answer', 500],
      );
      assert.ok(
        typeof failed?.duration === 'number' &&
          typeof failed?.reason === 'string' &&
          typeof failed?.deliveryId === 'number',
      );
      await server.stop();
      for (const text of [secret, accessKey]) assert.ok(!server.stdout().includes(text));
    } finally {
      await receiver.stop();
    }
  });
});
