import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A program in a process of its own that does one task after another, or several at once. */
export interface ForkedInstance<Task, Result> {
  /** Rejects if the task fails, and if the process is killed first. */
  run(task: Task): Promise<Result>;
  kill(): Promise<void>;
}

interface Request<Task> {
  readonly id: number;
  readonly task: Task;
}

interface Reply<Result> {
  readonly id: number;
  readonly result?: Result;
  readonly error?: string;
}

export async function forkInstance<Task, Result>(
  program: URL,
  args: readonly string[],
): Promise<ForkedInstance<Task, Result>> {
  const child = fork(fileURLToPath(program), args, { execArgv: [] });
  const waiting = new Map<number, (reply: Reply<Result>) => void>();
  const ended = once(child, 'exit').then(() => {
    for (const [id, settle] of waiting) settle({ id, error: 'killed' });
  });
  child.on('message', (reply: Reply<Result>) => waiting.get(reply.id)?.(reply));
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
async function ask<Task, Result>(
  child: ChildProcess,
  waiting: Map<number, (reply: Reply<Result>) => void>,
  { id, task }: { readonly id: number; readonly task?: Task },
): Promise<Reply<Result>> {
  if (child.exitCode !== null || child.signalCode !== null) return { id, error: 'killed' };
  try {
    return await new Promise<Reply<Result>>((resolve) => {
      waiting.set(id, resolve);
      if (task !== undefined) child.send({ id, task }, () => undefined);
    });
  } finally {
    waiting.delete(id);
  }
}

/** Runs in the forked process: does each task that the parent sends, until the parent ends. */
export function serveParent<Task, Result>(run: (task: Task) => Promise<Result>): void {
  process.on('message', ({ id, task }: Request<Task>) => {
    const reply = (answer: Omit<Reply<Result>, 'id'>) => process.send?.({ id, ...answer });
    run(task).then(
      (result) => reply({ result }),
      (error: unknown) => reply({ error: String(error) }),
    );
  });
  process.once('disconnect', () => process.exit());
  process.send?.({ id: 0 });
}
