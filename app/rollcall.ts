#!/usr/bin/env node
import { CommanderError } from 'commander';
import { createProgram } from './program.js';
import { exitOnClosedPipe, say } from './terminal.js';

/** The command line. */

/** The same as `exitCodes.usage`, so that `failure.js` is loaded only when a command fails. */
const USAGE = 2;
const FAILED = 1;

async function main(): Promise<void> {
  exitOnClosedPipe();
  // Handles errors that no command catches. A server replaces this handler. It runs once: if reporting also fails,
  // because the program's files are gone, Node ends the process.
  process.once('uncaughtException', (error) => void reportError(error).then(() => process.exit(FAILED)));
  try {
    await createProgram().parseAsync();
  } catch (error) {
    process.exitCode = await reportError(error);
  }
}

/** Prints the error, and returns the exit code. */
async function reportError(error: unknown): Promise<number> {
  // Commander has printed its own message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  const { exitCodeOf, messagesOf } = await import('./failure.js');
  const { isDebugging, processEnvironment } = await import('./config.js');
  for (const line of messagesOf(error, isDebugging(processEnvironment))) say(line);
  return exitCodeOf(error);
}

await main();
