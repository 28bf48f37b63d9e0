import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { promisify, stripVTControlCharacters } from 'node:util';
import { Secret, Unavailable } from '@rollcall/core';
import { createKeyring } from '#adapters/crypto/keyring.js';
import { keyedSecrets } from '#adapters/crypto/secrets.js';
import { jwtTokens } from '#adapters/crypto/tokens.js';
import { systemClock } from '#adapters/system/clock.js';
import { logErrorTracker } from '#adapters/system/error-tracker.js';
import { randomIds } from '#adapters/system/ids.js';
import { createLog, LOG_LEVELS, type Log, type LogLevel } from '#adapters/system/log.js';

/** A log that keeps its lines. */
function keptLog(level: LogLevel = 'trace', pretty = false): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  const log = createLog({ level, pretty, destination: { write: (line) => lines.push(line) } });
  return { log, lines };
}

/** The entries without the time, which must be there. */
function entries(lines: readonly string[]): readonly unknown[] {
  return lines.map((line) => {
    assert.match(line, /^\{.*\}\n$/);
    const { time, ...entry } = JSON.parse(line);
    assert.equal(new Date(time).toISOString(), time);
    return entry;
  });
}

// ── Clock and ids ──────────────────────────────────────────────────────────────────────────────────────────

test("the clock tells the machine's time", () => {
  const before = Date.now();
  const now = systemClock.now().getTime();
  assert.ok(before <= now && now <= Date.now());
});

test('a pause ends after its milliseconds', async () => {
  const started = performance.now();
  await systemClock.pause(50);
  const took = performance.now() - started;
  assert.ok(took >= 49 && took < 500, `took ${took} ms`);
});

test('a pause that is awaited keeps the process alive', async () => {
  const program = `
    import { systemClock } from ${JSON.stringify(import.meta.resolve('#adapters/system/clock.js'))};
    await systemClock.pause(50);
    console.log('awake');`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  assert.equal(stdout, 'awake\n');
});

test('ids are random UUIDs of version 4', () => {
  const made = Array.from({ length: 1_000 }, () => randomIds.uuid());
  assert.equal(new Set(made).size, made.length);
  for (const uuid of made) {
    assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});

// ── Log ────────────────────────────────────────────────────────────────────────────────────────────────────

test('an entry is one line of JSON with its time, level, fields and message, and nothing else', () => {
  const { log, lines } = keptLog();
  log.info({ requestId: 'r-1', port: 3000 }, 'listening');
  log.child({ organizationId: 7 }).warn('slow\nanswer');
  assert.deepEqual(entries(lines), [
    { level: 30, requestId: 'r-1', port: 3000, msg: 'listening' },
    { level: 40, organizationId: 7, msg: 'slow\nanswer' },
  ]);
});

test('a level keeps out what is below it', () => {
  const { log, lines } = keptLog('warn');
  for (const level of LOG_LEVELS) log[level](level);
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).msg),
    ['fatal', 'error', 'warn'],
  );
});

test('the log goes to standard output, as JSON where that is no terminal', async () => {
  const program = `
    import { createLog } from ${JSON.stringify(import.meta.resolve('#adapters/system/log.js'))};
    createLog({ level: 'info' }).info({ a: 1 }, 'hello');`;
  const ran = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  assert.deepEqual(entries([ran.stdout]), [{ level: 30, a: 1, msg: 'hello' }]);
  assert.equal(ran.stderr, '');
});

for (const [end, code] of [
  ['process.exit(3);', 3],
  ['throw new Error("a bug");', 1],
  ['queueMicrotask(() => process.exit(3));', 3],
  ['setTimeout(() => process.kill(process.pid, "SIGKILL"), 50);', null],
] as const) {
  test(`no line of the log is lost, nor any twice, with ${end}`, async () => {
    const program = `
      import { createLog } from ${JSON.stringify(import.meta.resolve('#adapters/system/log.js'))};
      const log = createLog({ level: 'info' });
      for (let number = 0; number < 300; number += 1) log.info({ number }, 'x'.repeat(100));
      ${end}`;
    const child = execFile(process.execPath, ['--input-type=module', '-e', program], { timeout: 20_000 });
    let text = '';
    child.stdout?.on('data', (chunk: string) => {
      text += chunk;
    });
    const [left] = (await once(child, 'close')) as [number | null];
    const numbers = text.trimEnd().split('\n');
    assert.deepEqual(
      [left, numbers.map((line) => JSON.parse(line).number)],
      [code, Array.from({ length: 300 }, (_, number) => number)],
    );
  });
}

test('the lines of one turn are one write, and wait for no disk', async () => {
  const program = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    let writes = 0;
    let syncs = 0;
    const { writeSync, fsyncSync } = fs;
    fs.fsyncSync = (fd) => { syncs += 1; return fsyncSync(fd); };
    fs.writeSync = (fd, ...rest) => { if (fd === 1) writes += 1; return writeSync(fd, ...rest); };
    syncBuiltinESMExports();
    const { createLog } = await import(${JSON.stringify(import.meta.resolve('#adapters/system/log.js'))});
    const log = createLog({ level: 'info' });
    for (let number = 0; number < 20; number += 1) log.info('line');
    setTimeout(() => { process.stderr.write(writes + ' ' + syncs); }, 20);`;
  const ran = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  assert.deepEqual([ran.stdout.trimEnd().split('\n').length, ran.stderr], [20, '1 0']);
});

/** Runs a program that logs two lines to a standard output that fails so many times; gives the lines that came. */
async function logInto(code: string, count: number): Promise<readonly unknown[]> {
  const program = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { writeSync } = fs;
    let left = ${count};
    Atomics.wait = () => 'timed-out';
    fs.writeSync = (fd, ...rest) => {
      if (fd !== 1 || left === 0) return writeSync(fd, ...rest);
      left -= 1;
      throw Object.assign(new Error('${code}'), { code: '${code}' });
    };
    syncBuiltinESMExports();
    const { createLog } = await import(${JSON.stringify(import.meta.resolve('#adapters/system/log.js'))});
    const log = createLog({ level: 'info' });
    log.info({ number: 1 });
    setTimeout(() => log.info({ number: 2 }), 20);`;
  const options = { timeout: 20_000 };
  const ran = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], options);
  assert.equal(ran.stderr, '');
  return ran.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).number);
}

test('a log waits for a pipe that is full, however long', async () => {
  assert.deepEqual(await logInto('EAGAIN', 20_000), [1, 2]);
});

for (const code of ['ENOSPC', 'EIO', 'EPIPE']) {
  test(`what a log can't write for ${code} is lost, and the process goes on`, async () => {
    assert.deepEqual(await logInto(code, 1), [2]);
  });
}

test('each moment of the log is that of its line', () => {
  const { log, lines } = keptLog();
  const before = Date.now();
  for (let number = 0; number < 50; number += 1) log.info('line');
  const times = lines.map((line) => Date.parse(JSON.parse(line).time));
  assert.ok(times.every((time) => time >= before && time <= Date.now()));
  assert.match(lines[0] ?? '', /"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/);
});

test('a readable log is a line of text with the same facts', () => {
  const { log, lines } = keptLog('info', true);
  log.info({ requestId: 'r-1' }, 'listening');
  const text = stripVTControlCharacters(lines.join(''));
  assert.match(text, /^\[[\d:.]+\] INFO: listening \{"requestId":"r-1"\}\n$/);
});

const SECRET_FIELDS = [
  ...[
    'authorization',
    'Authorization',
    'cookie',
    'set-cookie',
    'Set-Cookie',
    'access_key',
    'accessKey',
    'token',
  ],
  ...[
    'password',
    'new_password',
    'passwordHash',
    'secret',
    'encryptedSecret',
    'signing_secret',
    'SECRET_KEY',
  ],
  ...[
    'SECRET_KEY_PREVIOUS',
    'secretKey',
    'otl_url',
    'otlUrl',
    'invitation_url',
    'invitationUrl',
    'DATABASE_URL',
  ],
];

test('fields that hold secrets are blacked out at every depth, whatever their value is', () => {
  for (const name of SECRET_FIELDS) {
    for (const value of ['hidden', ['hidden', 'hidden'], { inner: 'hidden' }, 12345]) {
      const { log, lines } = keptLog();
      const field = { [name]: value };
      log.info({ ...field, a: { b: [{ c: { d: { e: field } } }] }, kept: 'visible' }, 'message');
      log.child(field).info({ headers: field }, 'message');
      log.info({ err: Object.assign(new Error('failed'), field) }, 'message');
      const [first, second, third] = entries(lines) as { readonly err?: Readonly<Record<string, unknown>> }[];
      const black = { [name]: '***' };
      const context = { level: 30, msg: 'message' };
      assert.deepEqual(first, {
        ...context,
        ...black,
        a: { b: [{ c: { d: { e: black } } }] },
        kept: 'visible',
      });
      assert.deepEqual(second, { ...context, ...black, headers: black });
      const { stack, ...err } = third?.err ?? {};
      assert.deepEqual(err, { type: 'Error', message: 'failed', ...black });
      assert.equal(lines.join('').includes('hidden'), false);
    }
  }
});

test('fields whose names only resemble those of secrets stay', () => {
  const { log, lines } = keptLog();
  const fields = { secrets: 1, tokenCount: 2, passwordless: 'x', cookies: ['a'], secret: null };
  log.info(fields, 'message');
  assert.deepEqual(entries(lines), [{ level: 30, ...fields, msg: 'message' }]);
});

test('our secrets are recognised by their shape in every text: messages, addresses, errors, readable lines', async () => {
  const keyring = createKeyring({
    secretKey: 'a secret key of 32 characters or more',
    previousSecretKeys: [],
  });
  const secrets = keyedSecrets(keyring);
  const moment = new Date('2026-11-20T12:00:00Z');
  const claims = { organizationId: 1, generation: 1, issuedAt: moment, expiresAt: moment };
  for (const secret of [
    secrets.newAccessKey(),
    secrets.newToken('session').token,
    secrets.newToken('login-link').token,
    secrets.invitationToken({ id: randomIds.uuid(), keyId: secrets.keyId }),
    secrets.newSigningSecret(),
    await jwtTokens(keyring).issue(claims),
  ].map((made) => made.reveal())) {
    for (const pretty of [false, true]) {
      const { log, lines } = keptLog('trace', pretty);
      log.info({ url: `/login/${secret}?again=${secret}` }, `before ${secret} after`);
      log.error(new Error(`"${secret}" is wrong`));
      const text = lines.join('');
      assert.equal(text.includes(secret), false, secret);
      assert.ok(text.includes('/login/***?again=***') && text.includes('before *** after'), text);
    }
  }
});

test("a database's password is blacked out in an address", () => {
  const { log, lines } = keptLog();
  log.error('no answer from postgres://rollcall:pa55:word@db.test:5432/rollcall?sslmode=require');
  log.info('listening on http://127.0.0.1:3000 for dana@example.test');
  assert.deepEqual(entries(lines), [
    { level: 50, msg: 'no answer from postgres://rollcall:***@db.test:5432/rollcall?sslmode=require' },
    { level: 30, msg: 'listening on http://127.0.0.1:3000 for dana@example.test' },
  ]);
});

test('ids, times and numbers of entries are not taken for secrets', () => {
  const { log, lines } = keptLog();
  const fields = { eventId: randomIds.uuid(), at: '2026-11-20T12:00:00.000Z', id: 2 ** 53 - 1, sum: 1e23 };
  log.info(fields, 'delivered 0123456789abcdef to https://receiver.test/hooks/in?x=1');
  assert.deepEqual(entries(lines), [
    { level: 30, ...fields, msg: 'delivered 0123456789abcdef to https://receiver.test/hooks/in?x=1' },
  ]);
});

// ── Error tracker ──────────────────────────────────────────────────────────────────────────────────────────

test('a report is one line at its severity, with the operation, the request and the error', () => {
  const { log, lines } = keptLog();
  const error = new TypeError('x is not a function');
  const tracker = logErrorTracker(log);
  tracker.report(error, { severity: 'error', operation: 'exportMeetings', requestId: 'r-1' });
  tracker.report(error, { severity: 'info', operation: 'dispatch', requestId: null });
  const described = { name: 'TypeError', message: 'x is not a function', stack: error.stack, cause: null };
  assert.deepEqual(entries(lines), [
    {
      level: 50,
      operation: 'exportMeetings',
      requestId: 'r-1',
      error: described,
      msg: 'exportMeetings: x is not a function',
    },
    {
      level: 30,
      operation: 'dispatch',
      requestId: null,
      error: described,
      msg: 'dispatch: x is not a function',
    },
  ]);
});

test('of an error only name, message, stack and causes are told, never what a library hung on it', () => {
  const { log, lines } = keptLog();
  const cause = Object.assign(new Error('connection lost'), { query: 'select hidden', bindings: ['hidden'] });
  const error = Object.assign(new Unavailable('The database is away.', { cause }), {
    request: { body: 'hidden' },
    password: new Secret('hidden'),
  });
  logErrorTracker(log).report(error, { severity: 'error', operation: 'authenticate', requestId: 'r-2' });
  const [line = ''] = lines;
  assert.equal(line.includes('hidden'), false);
  assert.deepEqual(JSON.parse(line).error, {
    name: 'Unavailable',
    message: 'The database is away.',
    stack: error.stack,
    cause: { name: 'Error', message: 'connection lost', stack: cause.stack, cause: null },
  });
});

test('whatever is thrown can be reported, also what is no error and what is its own cause', () => {
  const { log, lines } = keptLog();
  const circular = new Error('round');
  circular.cause = circular;
  const tracker = logErrorTracker(log);
  for (const thrown of ['a text', null, undefined, 7, { body: 'hidden' }, circular]) {
    tracker.report(thrown, { severity: 'error', operation: 'test', requestId: null });
  }
  const nothing = 'test: a value that is not an error was thrown';
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).msg),
    ['test: a text', nothing, nothing, nothing, nothing, 'test: round'],
  );
  assert.equal(lines.join('').includes('hidden'), false);
});
