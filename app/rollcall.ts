#!/usr/bin/env node
import { CommanderError } from 'commander';
import { createProgram } from './program.js';
import { endQuietlyWithReader, say } from './terminal.js';

/** The command line. */

/** What the parser finds wrong, as `exitCodes.usage`: not loaded for that alone. */
const USAGE = 2;
const FAILED = 1;

async function main(): Promise<void> {
  endQuietlyWithReader();
  // What is thrown behind the back of a command; a server replaces it by its own. Once: where telling fails as well, as
  // the files of the program have gone, Node ends the process.
  process.once('uncaughtException', (error) => void tell(error).then(() => process.exit(FAILED)));
  try {
    await createProgram().parseAsync();
  } catch (error) {
    process.exitCode = await tell(error);
  }
}

/** Says what went wrong, and answers the exit code. */
async function tell(error: unknown): Promise<number> {
  // Commander has printed its own.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  const { exitCodeOf, messagesOf } = await import('./failure.js');
  const { isDebugging, processEnvironment } = await import('./config.js');
  for (const line of messagesOf(error, isDebugging(processEnvironment))) say(line);
  return exitCodeOf(error);
}

await main();
