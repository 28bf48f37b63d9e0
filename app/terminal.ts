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

/** Ends the process without an error when the program that reads its output stops reading (`| head`). */
export function exitOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      process.exit(error.code === 'EPIPE' ? 0 : 1);
    });
  }
}
