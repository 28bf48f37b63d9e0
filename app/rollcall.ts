#!/usr/bin/env node
import { reportError, runProgram } from './run-program.js';
import { exitOnClosedPipe } from './terminal.js';

/** The command line. */

const FAILED = 1;

exitOnClosedPipe();
// Handles errors that no command catches. A server replaces this handler. It runs once: if reporting also fails, because
// the program's files are gone, Node ends the process.
process.once('uncaughtException', (error) => void reportError(error).then(() => process.exit(FAILED)));
process.exitCode = await runProgram(process.argv.slice(2));
