import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort, type Running, start, temporaryDirectory } from '../support/app-cli.js';
import { tryExports } from '../support/export-trial.js';

/**
 * Tries the first steps of a new user on the Node that runs this, while garbage is collected all the time: starts the
 * demo twice, imports 30,000 meetings into SQLite and exports them over HTTP.
 */
const env = { NODE_OPTIONS: `--import ${new URL('../support/collect-garbage.js', import.meta.url)}` };
const MEETINGS = 30_000;
/** How long requests are sent to a demo. */
const DEMO_MS = 3000;
/** Long enough for the demo to load its data, even if all versions are tried at the same time. */
const START_MS = 120_000;

const directory = temporaryDirectory();
try {
  for (const turn of ['first', 'second']) await tryDemo(directory.path, turn);
} finally {
  directory.remove();
}
const { before, eight, namesAfter, exitCode } = await tryExports({ meetings: MEETINGS, readers: 1, env });
assert.ok(before.isComplete && eight.every(({ isComplete }) => isComplete), 'an export ended early');
assert.equal(namesAfter.length, MEETINGS);
assert.equal(exitCode, 0, 'the exit code of the server');
process.stdout.write(`The demo and exports of ${MEETINGS} meetings pass on Node ${process.versions.node}.\n`);

async function tryDemo(cwd: string, turn: string): Promise<void> {
  const port = await freePort();
  const demo = start(['demo'], { cwd, env: { ...env, PORT: String(port) } });
  try {
    await untilStarted(demo);
    const until = performance.now() + DEMO_MS;
    while (performance.now() < until && demo.child.exitCode === null && demo.child.signalCode === null) {
      const page = await fetch(`http://localhost:${port}/sign-in`).catch(() => null);
      if (page !== null) assert.equal(page.status, 200);
      await pause(20);
    }
    const { code, signal, stderr } = await demo.stop();
    assert.deepEqual({ code, signal }, { code: 0, signal: null }, `the ${turn} demo ended: ${stderr}`);
  } finally {
    await demo.stop('SIGKILL');
  }
}

/** Waits until the demo prints its addresses or ends. */
async function untilStarted({ child, stdout }: Running): Promise<void> {
  const until = performance.now() + START_MS;
  while (!stdout().includes('\n') && child.exitCode === null && child.signalCode === null) {
    assert.ok(performance.now() < until, 'the demo has not started');
    await pause(100);
  }
}
