import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { authenticate } from '../support/api.js';
import { linesOf, run } from '../support/app-cli.js';
import { listen } from '../support/listen.js';
import { prepareServedApp, type ServedApp } from '../support/served-app.js';
import { SqliteDatabase } from '../support/sqlite.js';
import { eventually } from '../support/wait.js';

let app: ServedApp;

describe('rollcall serve', () => {
  beforeEach(async () => {
    app = await prepareServedApp();
  });
  afterEach(() => app.stop());

  test('answers as soon as it logs that it is listening, and prints its configuration with secrets masked', async () => {
    const logo = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(9_992)]);
    writeFileSync(join(app.cwd, 'logo.png'), logo);
    const server = await app.serve([], {
      SECRET_KEY: 'a secret key of more than 32 characters',
      BRAND_LOGO: 'logo.png',
    });
    const answers = await Promise.all(
      ['/healthz', '/readyz'].map((path) => fetch(`http://localhost:${app.port}${path}`)),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    const [first = ''] = linesOf(server.stdout());
    const { secretKey, brand } = JSON.parse(first).configuration;
    assert.equal(secretKey, '***');
    assert.deepEqual(brand.logo, { type: 'image/png', bytes: 10_000 });
    assert.ok(!server.stdout().includes('a secret key'));
    assert.equal((await server.stop()).code, 0);
  });

  test('reports in one line that its port is taken', async () => {
    await app.serve();
    const env = { PORT: String(app.port), DATABASE_URL: 'sqlite:other.db', LOG_LEVEL: 'warn' };
    const { code, stderr } = await run(['serve'], { cwd: app.cwd, env });
    assert.equal(code, 1);
    const lines = linesOf(stderr).filter((line) => !line.startsWith('Created a new secret key'));
    assert.deepEqual(lines, [
      `PORT: ${app.port} on 127.0.0.1 is taken by another program; stop it, or choose another PORT, for example ${app.port + 1}`,
    ]);
  });

  test('reports in one line that HOST is not an address of this machine', async () => {
    const env = {
      PORT: String(app.port),
      HOST: '192.0.2.1',
      LOG_LEVEL: 'warn',
      SECRET_KEY: 'a secret key of more than 32 characters',
    };
    const { code, stderr } = await run(['serve'], { cwd: app.cwd, env });
    assert.deepEqual(
      [code, linesOf(stderr)],
      [2, ['HOST: 192.0.2.1 is not an address of this machine; it must be one, for example 127.0.0.1']],
    );
  });

  test('with --no-migrate starts only if the database is up to date', async () => {
    const refused = await run(['serve', '--no-migrate'], { cwd: app.cwd, env: { PORT: String(app.port) } });
    assert.equal(refused.code, 1);
    assert.match(
      linesOf(refused.stderr).at(-1) ?? '',
      /^Migrations are pending: 0001-baseline, [^.]+\. Run: rollcall migrate$/,
    );
    await run(['migrate'], { cwd: app.cwd });
    const server = await app.serve(['--no-migrate']);
    assert.equal((await server.stop()).code, 0);
  });

  test('lets other commands run at the same time, and sees their changes', async () => {
    await app.serve();
    await app.importPeople();
    const { post } = await app.signedIn();
    const invited = await post('/invite_user', {
      email: 'ada@example.test',
      first_name: 'Ada',
      last_name: 'L',
    });
    assert.equal(invited.success, 'User invited successfully.');
    const key = await run(['access-key', 'generate', '--organization', '1', '--json'], { cwd: app.cwd });
    assert.equal(key.code, 0, key.stderr);
    const rejected = await post('/invite_user', {
      email: 'ada@example.test',
      first_name: 'Ada',
      last_name: 'L',
    });
    assert.deepEqual(rejected, { error: 'Unauthorized Access' });
  });

  test('lets each organization make REQUEST_LIMIT requests a minute', async () => {
    await app.importPeople();
    await app.serve([], { REQUEST_LIMIT: '3' });
    const token = await app.token();
    const ask = () =>
      fetch(`http://localhost:${app.port}/api/v2/organizations/1/webhook`, {
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

  test('with SENTRY_DSN reports errors to Sentry as well as to the log, and never prints its key', async () => {
    const posts: { readonly url: string; readonly body: string }[] = [];
    const sentry = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      posts.push({ url: request.url ?? '', body });
      response.end();
    });
    const sentryPort = await listen(sentry);
    try {
      await app.importPeople();
      const dsn = `http://abcdef0123456789@127.0.0.1:${sentryPort}/7`;
      const server = await app.serve([], { SENTRY_DSN: dsn });
      const token = await app.token();
      const database = new SqliteDatabase(join(app.cwd, 'data', 'rollcall.db'));
      database.exec('ALTER TABLE webhooks RENAME TO hidden_webhooks');
      database.close();
      const broken = await fetch(`http://localhost:${app.port}/api/v2/organizations/1/webhook`, {
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

  test('sets the flags of V8 for its start and for the time after it, needs no language data, and on SIGTERM finishes the request in progress, accepts no other, and exits with 0', async () => {
    const tellFlags = `import v8 from 'node:v8';
        import { syncBuiltinESMExports } from 'node:module';
        const { setFlagsFromString } = v8;
        v8.setFlagsFromString = (flags) => {
          console.error('V8 has ' + flags);
          setFlagsFromString(flags);
        };
        for (const name of ['DateTimeFormat', 'ListFormat', 'NumberFormat'])
          Intl[name] = class extends Intl[name] {
            constructor(...options) {
              console.error('made: ' + name);
              super(...options);
            }
          };
        syncBuiltinESMExports();`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(tellFlags)}`;
    const server = await app.serve([], { npm_command: 'exec', NODE_OPTIONS });
    const socket = connect(app.port, '127.0.0.1');
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
    server.child.kill('SIGTERM');
    // Both the terminal and npm pass on the same Ctrl+C. Two signals at once would be one.
    await pause(20);
    server.child.kill('SIGTERM');
    await server.see(/"msg":"Stopping/);
    // A slow start was asked for so long whether it is ready that a proxy may be asking: then it listens for 5 s more.
    const isRefused = () =>
      fetch(`http://127.0.0.1:${app.port}/healthz`).then(
        () => false,
        () => true,
      );
    await eventually(isRefused, 'new requests are answered');

    socket.end(body);
    const { code, stderr } = await server.ended;
    assert.equal(code, 0);
    const told = linesOf(stderr)
      .filter((line) => /^(V8 has|made:) /.test(line))
      .slice(0, 5);
    assert.deepEqual(told, [
      // To twice what a full garbage collection has left.
      'V8 has --heap-growing-percent=100',
      'V8 has --max-optimized-bytecode-size=0',
      'V8 has --gc-memory-reducer-start-delay-ms=2000',
      'V8 has --max-optimized-bytecode-size=61440',
      'V8 has --optimize-for-size',
    ]);
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

  test('logs when it stops how many wrong access keys were above the limit of log lines', async () => {
    const server = await app.serve();
    for (let count = 0; count < 65; count += 1) {
      const answer = await authenticate(`http://127.0.0.1:${app.port}`, 'wrong');
      assert.equal(answer.status, 401);
    }
    assert.equal((await server.stop()).code, 0);
    const failures = linesOf(server.stdout())
      .map((line) => JSON.parse(line))
      .filter(({ security }) => security === 'authenticate-failed');
    assert.deepEqual([failures.length, failures.at(-1)?.more], [61, 5]);
  });
});
