import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret, Unavailable } from '@rollcall/core';
import { logErrorTracker } from '#adapters/node/system/error-tracker.js';
import { captureLog, entries } from './captured-log.js';

test('a report is one line at its severity, with the operation, the request and the error', () => {
  const { log, lines } = captureLog();
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

test('only name, message, stack and causes of an error are logged, and no properties added by a library', () => {
  const { log, lines } = captureLog();
  const cause = Object.assign(new Error('connection lost'), { query: 'select hidden', bindings: ['hidden'] });
  const error = Object.assign(new Unavailable('The database is unavailable.', { cause }), {
    request: { body: 'hidden' },
    password: new Secret('hidden'),
  });
  logErrorTracker(log).report(error, { severity: 'error', operation: 'authenticate', requestId: 'r-2' });
  const [line = ''] = lines;
  assert.equal(line.includes('hidden'), false);
  assert.deepEqual(JSON.parse(line).error, {
    name: 'Unavailable',
    message: 'The database is unavailable.',
    stack: error.stack,
    cause: { name: 'Error', message: 'connection lost', stack: cause.stack, cause: null },
  });
});

test('any thrown value can be reported, even one that is not an error or is its own cause', () => {
  const { log, lines } = captureLog();
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
