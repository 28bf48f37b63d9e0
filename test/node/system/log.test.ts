import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { promisify, stripVTControlCharacters } from 'node:util';
import { LOG_LEVELS } from '#adapters/node/system/log.js';
import { captureLog, entries } from './captured-log.js';

test('an entry is one line of JSON with only its time, level, fields and message', () => {
  const { log, lines } = captureLog();
  log.info({ requestId: 'r-1', port: 3000 }, 'listening');
  log.child({ organizationId: 7 }).warn('slow\nresponse');
  assert.deepEqual(entries(lines), [
    { level: 30, requestId: 'r-1', port: 3000, msg: 'listening' },
    { level: 40, organizationId: 7, msg: 'slow\nresponse' },
  ]);
});

test('entries below the level are not logged', () => {
  const { log, lines } = captureLog('warn');
  for (const level of LOG_LEVELS) log[level](level);
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).msg),
    ['fatal', 'error', 'warn'],
  );
});

test('the log goes to standard output, as JSON if that is not a terminal', async () => {
  const program = `
    import { createLog } from ${JSON.stringify(import.meta.resolve('#adapters/node/system/log.js'))};
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
  test(`no line of the log is lost or repeated with ${end}`, async () => {
    const program = `
      import { createLog } from ${JSON.stringify(import.meta.resolve('#adapters/node/system/log.js'))};
      const log = createLog({ level: 'info' });
      for (let number = 0; number < 300; number += 1) log.info({ number }, 'x'.repeat(100));
      ${end}`;
    const child = execFile(process.execPath, ['--input-type=module', '-e', program], { timeout: 240_000 });
    let text = '';
    child.stdout?.on('data', (chunk: string) => {
      text += chunk;
    });
    const [exitCode] = (await once(child, 'close')) as [number | null];
    const numbers = text.trimEnd().split('\n');
    assert.deepEqual(
      [exitCode, numbers.map((line) => JSON.parse(line).number)],
      [code, Array.from({ length: 300 }, (_, number) => number)],
    );
  });
}

test('all lines of one turn of the event loop are one write, without fsync', async () => {
  const program = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    let writes = 0;
    let syncs = 0;
    const { writeSync, fsyncSync } = fs;
    fs.fsyncSync = (fd) => { syncs += 1; return fsyncSync(fd); };
    fs.writeSync = (fd, ...rest) => { if (fd === 1) writes += 1; return writeSync(fd, ...rest); };
    syncBuiltinESMExports();
    const { createLog } = await import(${JSON.stringify(import.meta.resolve('#adapters/node/system/log.js'))});
    const log = createLog({ level: 'info' });
    for (let number = 0; number < 20; number += 1) log.info('line');
    setTimeout(() => { process.stderr.write(writes + ' ' + syncs); }, 20);`;
  const ran = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  assert.deepEqual([ran.stdout.trimEnd().split('\n').length, ran.stderr], [20, '1 0']);
});

/**
 * Runs a program that logs two lines. Writing to standard output fails `count` times first. Returns the logged numbers.
 */
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
    const { createLog } = await import(${JSON.stringify(import.meta.resolve('#adapters/node/system/log.js'))});
    const log = createLog({ level: 'info' });
    log.info({ number: 1 });
    setImmediate(() => log.info({ number: 2 }));`;
  const options = { timeout: 240_000 };
  const ran = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], options);
  assert.equal(ran.stderr, '');
  return ran.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).number);
}

test('the log waits for a full pipe, however long that takes', async () => {
  assert.deepEqual(await logInto('EAGAIN', 20_000), [1, 2]);
});

for (const code of ['ENOSPC', 'EIO', 'EPIPE']) {
  test(`a line that cannot be written because of ${code} is lost, and the process continues`, async () => {
    assert.deepEqual(await logInto(code, 1), [2]);
  });
}

test('each line has the time at which it was logged', () => {
  const { log, lines } = captureLog();
  const before = Date.now();
  for (let number = 0; number < 50; number += 1) log.info('line');
  const times = lines.map((line) => Date.parse(JSON.parse(line).time));
  assert.ok(times.every((time) => time >= before && time <= Date.now()));
  assert.match(lines[0] ?? '', /"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/);
});

test('a readable log has the same fields in a line of text', () => {
  const { log, lines } = captureLog('info', true);
  log.info({ requestId: 'r-1' }, 'listening');
  const text = stripVTControlCharacters(lines.join(''));
  assert.match(text, /^\[[\d:.]+\] INFO: listening \{"requestId":"r-1"\}\n$/);
});
