import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Fault, Reply, Result, Task } from './messages.js';

/** An instance in a process of its own. */
export interface Instance {
  /** Rejects if the task fails, and if the process is killed first. */
  run(task: Task): Promise<Result>;
  kill(): Promise<void>;
}

export interface StartInstance {
  readonly url: string;
  readonly fault?: Fault | undefined;
}

export async function startInstance({ url, fault }: StartInstance): Promise<Instance> {
  const path = fileURLToPath(new URL('instance-process.js', import.meta.url));
  const child = fork(path, [url, ...(fault === undefined ? [] : [fault])], { execArgv: [] });
  const waiting = new Map<number, (reply: Reply) => void>();
  const ended = once(child, 'exit').then(() => {
    for (const [id, settle] of waiting) settle({ id, error: 'killed' });
  });
  child.on('message', (reply: Reply) => waiting.get(reply.id)?.(reply));
  let lastId = 0;
  const { error } = await ask(child, waiting, { id: 0 });
  if (error !== undefined) throw new Error('an instance did not start');
  return {
    async run(task) {
      lastId += 1;
      const { result, error } = await ask(child, waiting, { id: lastId, task });
      if (result === undefined) throw new Error(error);
      return result;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Resolves with the reply. The first message of the process needs no request. */
async function ask(
  child: ChildProcess,
  waiting: Map<number, (reply: Reply) => void>,
  { id, task }: { readonly id: number; readonly task?: Task },
): Promise<Reply> {
  if (child.exitCode !== null || child.signalCode !== null) return { id, error: 'killed' };
  try {
    return await new Promise<Reply>((resolve) => {
      waiting.set(id, resolve);
      if (task !== undefined) child.send({ id, task }, () => undefined);
    });
  } finally {
    waiting.delete(id);
  }
}
