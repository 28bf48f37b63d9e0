import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { reportError, runProgram } from '#app/run-program.js';
import { END_OF_OUTPUT, type HostedCommand } from './messages.js';

/**
 * Runs commands of `rollcall` one after the other in this process, each with its own folder, environment and input. A
 * command has ended when nothing that it started keeps the process alive, as if the process were its own.
 */
const POLL_MS = 2;

// Node opens its outputs when they are first read, and they count as things that keep it alive.
for (const output of [process.stdout, process.stderr]) output.write('');

process.on('uncaughtException', (error) => void reportError(error).then(() => process.exit(1)));
process.on('message', (command: HostedCommand) => void answer(command));

async function answer({ args, cwd, env, input }: HostedCommand): Promise<void> {
  process.chdir(cwd);
  setEnvironment(env);
  const stdin = new PassThrough();
  stdin.end(Buffer.from(input, 'base64'));
  Object.defineProperty(process, 'stdin', { configurable: true, value: stdin });
  const before = activeResources();
  const code = await runProgram(args);
  while (activeResources() > before) await pause(POLL_MS);
  process.chdir('/');
  process.stdout.write(END_OF_OUTPUT);
  process.stderr.write(END_OF_OUTPUT);
  process.send?.(code);
}

function setEnvironment(env: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}

/** How many things keep this process alive. */
function activeResources(): number {
  return process.getActiveResourcesInfo().length;
}
