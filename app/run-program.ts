import { CommanderError } from 'commander';
import { createProgram } from './program.js';
import { say } from './terminal.js';

/** The same as `exitCodes.usage`, so that `error-messages.js` is loaded only when a command fails. */
const USAGE = 2;

/** Runs the command of these arguments. An error is printed. Returns the exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    return reportError(error);
  }
}

/** Prints the error, and returns the exit code. */
export async function reportError(error: unknown): Promise<number> {
  // Commander has printed its own message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  const { exitCodeOf, messagesOf } = await import('./error-messages.js');
  const { isDebugging, processEnvironment } = await import('./config.js');
  for (const line of messagesOf(error, isDebugging(processEnvironment))) say(line);
  return exitCodeOf(error);
}
