import { reportError, runProgram } from './run-program.js';
import { dropUnreadOutput } from './terminal.js';

/** The command line. */

const FAILED = 1;
const UNSETTLED = 13;

dropUnreadOutput();
// Handles errors that no command catches. A server replaces this handler. It runs once: if reporting also fails, because
// the program's files are gone, Node ends the process.
process.once('uncaughtException', (error) => void reportError(error).then(() => process.exit(FAILED)));
// Node would end so by itself only if the main module waited for something that never comes.
process.exitCode = UNSETTLED;
const code = await runProgram(process.argv.slice(2));
// Output that could not be written may have set another code.
if (code !== 0 || process.exitCode === UNSETTLED) process.exitCode = code;
