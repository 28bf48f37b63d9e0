import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { createLog } from '@rollcall/node/log';
import { shutdownOnSignals } from '#app/shutdown.js';

const EVENTS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'uncaughtException', 'unhandledRejection'] as const;

type Step = NodeJS.Signals | number;

/** The codes with which a server exits that takes long to stop. A number is a wait in milliseconds. */
async function exitsAfter(
  steps: readonly Step[],
  { byNpm }: { readonly byNpm: boolean },
): Promise<readonly number[]> {
  const before = EVENTS.map((event) => [event, process.rawListeners(event)] as const);
  const environment = { ...process.env };
  const exits: number[] = [];
  let now = 0;
  for (const name of ['npm_command', 'npm_lifecycle_event']) delete process.env[name];
  if (byNpm) process.env.npm_command = 'exec';
  for (const event of EVENTS) process.removeAllListeners(event);
  mock.timers.enable({ apis: ['setTimeout'] });
  mock.method(performance, 'now', () => now);
  mock.method(process, 'exit', (code: number) => exits.push(code));
  try {
    const errorTracker = { report: () => undefined, flush: async () => undefined };
    const log = createLog({ level: 'silent', destination: { write: () => undefined } });
    shutdownOnSignals({ errorTracker, stop: () => new Promise(() => undefined) }, log);
    for (const step of steps) {
      if (typeof step === 'string') process.emit(step, step);
      else {
        now += step;
        mock.timers.tick(step);
      }
    }
    // A stop that does not wait for the service would exit now.
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    return exits;
  } finally {
    mock.restoreAll();
    mock.timers.reset();
    Object.assign(process.env, environment);
    for (const [event, listeners] of before) {
      process.removeAllListeners(event);
      for (const listener of listeners) process.on(event, listener as () => void);
    }
  }
}

describe('A server that takes long to stop', () => {
  const cases: readonly (readonly [does: string, steps: readonly Step[], exits: readonly number[]])[] = [
    ['exits at once on the second SIGTERM', ['SIGTERM', 'SIGTERM'], [143]],
    ['also when that comes later', ['SIGTERM', 700, 'SIGTERM'], [143]],
    ['and when that is another signal', ['SIGTERM', 'SIGINT'], [130]],
    ['waits 20 seconds', ['SIGTERM', 19_999], []],
    ['and then exits with 1', ['SIGTERM', 20_000], [1]],
  ];
  for (const [does, steps, exits] of cases)
    test(does, async () => assert.deepEqual(await exitsAfter(steps, { byNpm: false }), exits));

  const byNpm: typeof cases = [
    ['ignores a copy of the first signal', ['SIGINT', 1_900, 'SIGINT'], []],
    ['and exits at once on the next', ['SIGINT', 100, 'SIGINT', 'SIGINT'], [130]],
    [
      'exits at once on a second signal that comes too late to be a copy',
      ['SIGTERM', 2_100, 'SIGTERM'],
      [143],
    ],
    ['exits at once on a different second signal', ['SIGTERM', 'SIGINT'], [130]],
  ];
  for (const [does, steps, exits] of byNpm)
    test(`started by npm, ${does}`, async () =>
      assert.deepEqual(await exitsAfter(steps, { byNpm: true }), exits));
});
