import { type ChildProcess, spawn } from 'node:child_process';
import { follow, type Running, rollcall, unmeasured } from '../app-cli.js';

export { freePort, linesOf, type Running, temporaryDirectory } from '../app-cli.js';

export interface StartProgram {
  readonly cwd: string;
  /** The whole environment, in addition to PATH and HOME. */
  readonly env: Readonly<Record<string, string>>;
  /** A program with its arguments that replaces itself with the command, such as a shell that sets a limit. */
  readonly under?: readonly string[];
}

/** Child processes that are killed when this process ends. */
const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));

/** Starts a `rollcall` command. Signals reach the command itself, even if `under` starts it. */
export function start(args: readonly string[], options: StartProgram): Running {
  return startProgram([process.execPath, rollcall, ...args], options);
}

export function startProgram(command: readonly string[], options: StartProgram): Running {
  const { cwd, env, under = [] } = options;
  const [program = '', ...args] = [...under, ...command];
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...unmeasured, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  child.once('close', () => children.delete(child));
  return follow(child);
}

/** Whether a command can run here and ends with 0. */
export async function works(command: readonly string[]): Promise<boolean> {
  try {
    const { code } = await startProgram(command, { cwd: '/', env: {} }).ended;
    return code === 0;
  } catch {
    return false;
  }
}
