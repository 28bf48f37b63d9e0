import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { follow, linesOf, type Running, rollcall, unmeasured } from '../app-cli.js';
import type { Registering } from './registering-program.js';

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

/** In the bundle, where it starts in half the time. */
const registeringProgram = fileURLToPath(import.meta.resolve('#app/bundle/registering-program.js'));

/** Starts `rollcall serve`, or the program that registers people while it serves. */
export function startServing(registering: Registering | null, options: StartProgram): Running {
  if (registering === null) return startProgram([process.execPath, rollcall, 'serve'], options);
  const env = { ...options.env, REGISTERING: JSON.stringify(registering) };
  return startProgram([process.execPath, registeringProgram], { ...options, env });
}

/** The people whom the processes tried to register, and those whose registration was acknowledged. */
export function registrations(processes: readonly Pick<Running, 'stdout'>[]): {
  readonly attempted: ReadonlySet<string>;
  readonly acknowledged: ReadonlySet<string>;
} {
  const lines = processes.flatMap(({ stdout }) => linesOf(stdout()));
  const marked = (mark: string) =>
    new Set(lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(mark.length)));
  return { attempted: marked('? '), acknowledged: marked('+ ') };
}

/** Starts a program. Signals reach the program itself, even if `under` starts it. */
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
