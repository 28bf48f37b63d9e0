#!/usr/bin/env node
import { CommanderError } from 'commander';
import { createProgram } from './program.js';
import { endQuietlyWithReader, say } from './terminal.js';

/** The command line. */

/** 0: done; 1: refused or failed; 2: the configuration or the command line is wrong. */
const exitCodes = { failed: 1, usage: 2 } as const;

async function main(): Promise<void> {
  endQuietlyWithReader();
  // What is thrown behind the back of a command; a server replaces it by its own.
  process.on('uncaughtException', (error) => void tell(error).then(() => process.exit(exitCodes.failed)));
  try {
    await createProgram().parseAsync();
  } catch (error) {
    process.exitCode = await tell(error);
  }
}

/** Says what went wrong, and answers the exit code. */
async function tell(error: unknown): Promise<number> {
  // Commander has printed its own.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  const { isUsage, messagesOf } = await import('./failure.js');
  const { isDebugging, processEnvironment } = await import('./config.js');
  for (const line of messagesOf(error, isDebugging(processEnvironment))) say(line);
  return isUsage(error) ? exitCodes.usage : exitCodes.failed;
}

await main();
