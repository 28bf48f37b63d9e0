import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { startOperatorService } from '../support/http/operator-service.js';
import { eventually } from '../support/wait.js';

/** The nice values of the threads of a process on Linux. A higher value means a lower priority. */
function threadPriorities(process: number | 'self'): readonly number[] {
  return readdirSync(`/proc/${process}/task`).map((thread) => {
    const stat = readFileSync(`/proc/${process}/task/${thread}/stat`, 'utf8');
    // The name of the thread, in parentheses, may contain spaces. The 17th field after it is the nice value.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });
}

const LOWEST = 19;
const own = getPriority();
const lower = Math.min(own + 10, LOWEST);
const skip =
  process.platform !== 'linux' ? 'only Linux has them' : own === LOWEST ? 'none is lower than ours' : false;

/** The priorities that differ from ours. */
function changedIn(process: number | 'self'): readonly number[] {
  return threadPriorities(process).filter((priority) => priority !== own);
}

/** In a new process nothing has started Node's threads for files before the thread asks for one. */
const program = `
  const { Worker } = require('node:worker_threads');
  const thread = \`
    const { lowerThreadPriority } = require(process.env.MODULE);
    lowerThreadPriority().then(() => require('node:fs').stat('.', () => console.log('ready')));
    setInterval(() => {}, 60_000);
  \`;
  new Worker(thread, { eval: true });
`;

describe('Priorities of threads', { skip }, () => {
  test('the thread of imports has a lower priority, and no other thread of the service does', async (t) => {
    const service = await startOperatorService({ database: 'sqlite' });
    t.after(() => service.stop());
    const { status } = await service.records([{ kind: 'organization', id: 1, name: 'Northwind' }]);
    assert.equal(status, 200);
    // A thread may end while they are listed.
    await eventually(() => assert.deepEqual(changedIn('self'), [lower]));
  });

  test("Node's threads, which serve every thread, keep theirs", async () => {
    const module = fileURLToPath(import.meta.resolve('#app/dataset/thread-priority.js'));
    const child = spawn(process.execPath, ['-e', program], {
      env: { MODULE: module, NODE_NO_WARNINGS: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      assert.deepEqual(changedIn(child.pid ?? 0), [lower]);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  test('a priority that is lowered again ends at the lowest', async () => {
    const module = fileURLToPath(import.meta.resolve('#app/dataset/thread-priority.js'));
    const worker = new Worker(
      `const { parentPort } = require('node:worker_threads');
      import(${JSON.stringify(module)}).then(async ({ lowerThreadPriority }) => {
        for (let times = 0; times < 3; times += 1) await lowerThreadPriority();
        parentPort.postMessage(require('node:os').getPriority());
      });`,
      { eval: true },
    );
    const [priority] = await once(worker, 'message');
    assert.equal(priority, LOWEST);
  });
});
