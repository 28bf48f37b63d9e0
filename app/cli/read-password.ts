import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Secret } from '@rollcall/core';
import { Failure } from '../failure.js';
import { isTerminal } from '../terminal.js';
import { readInput } from './read-input.js';

/** Reads a password from standard input. On a terminal it asks twice and does not show the input. */
export async function readPassword(): Promise<Secret> {
  if (!isTerminal.stdin()) return new Secret(await firstLine());
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: process.stdin, output: silent, terminal: true });
  prompt.once('SIGINT', () => prompt.close());
  const lines = prompt[Symbol.asyncIterator]();
  try {
    const password = await ask(lines, 'New password: ');
    const repeated = await ask(lines, 'Repeat password: ');
    if (password !== repeated) throw new Failure('The passwords do not match. Nothing was changed.');
    return new Secret(password);
  } finally {
    prompt.close();
  }
}

async function firstLine(): Promise<string> {
  const input = await readInput('password: standard input is too long to be a password.');
  const text = input.replace(/\r?\n$/, '');
  if (/[\r\n]/.test(text)) throw new Failure('password: standard input must be one line.');
  return text;
}

/** Call it after the prompt has switched the echo of the terminal off. */
async function ask(lines: AsyncIterator<string>, question: string): Promise<string> {
  process.stderr.write(question);
  const { value, done } = await lines.next();
  process.stderr.write('\n');
  if (done === true) throw new Failure('Nothing was changed.');
  return value;
}
