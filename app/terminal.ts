import { styleText } from 'node:util';

// Data goes to standard output and messages go to standard error, so that a pipe gets only data.

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a document on one line. */
export function printJson(document: unknown): void {
  print(JSON.stringify(document));
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

export type Style = Parameters<typeof styleText>[0];

/** Styles a text if standard output is a terminal with colours (`NO_COLOR` and `FORCE_COLOR` are respected). */
export function styled(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

/** Styles a text if standard error is a terminal with colours. */
export function styledMessage(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stderr });
}

export const isTerminal = {
  stdin: (): boolean => process.stdin.isTTY === true,
  stdout: (): boolean => process.stdout.isTTY === true,
  stderr: (): boolean => process.stderr.isTTY === true,
};

const closing = new AbortController();

/** Aborted when the program that reads the output has stopped reading (`| head`), or the output cannot be written. */
export const outputClosed: AbortSignal = closing.signal;

/**
 * Drops output that cannot be written. A command goes on to its own end, because its work matters more than its words. One
 * that only prints can stop at `outputClosed`. A full disk makes the process fail, unlike a reader that has read enough.
 */
export function dropUnreadOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') process.exitCode = 1;
      closing.abort();
    });
  }
}
