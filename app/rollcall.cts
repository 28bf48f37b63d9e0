#!/usr/bin/env node
// CommonJS, because for a module Node starts a loader that takes a third of its own time.
const { fstatSync, readFileSync, writeSync } = process.getBuiltinModule('node:fs');

const STDOUT = 1;

/** What never changes is printed from the files that the build writes, as soon as Node has started. On a terminal, help has its width. */
const printed: Readonly<Record<string, string>> = {
  '--help': 'help.txt',
  '-h': 'help.txt',
  '--version': 'version.txt',
  '-V': 'version.txt',
};
const [option = '', ...others] = process.argv.slice(2);
const text = others.length > 0 || !Object.hasOwn(printed, option) ? undefined : printed[option];
const file = text === 'help.txt' && isTerminal() ? undefined : text;

if (file === undefined) {
  keepCompiled();
  // The bundle that the build makes loads in a third of the time that its modules take.
  const bundle: string = './bundle/command-line.js';
  void import(bundle);
} else {
  print(readFileSync(`${__dirname}/bundle/${file}`));
}

type LoaderOfNode22 = typeof import('node:module') & { enableCompileCache?(folder: string): void };

/**
 * From Node 22 on, what has been compiled is kept beside the bundle, and read by the next start. Where this user may not
 * write, nothing is kept.
 */
function keepCompiled(): void {
  const loader: LoaderOfNode22 = process.getBuiltinModule('node:module');
  loader.enableCompileCache?.(`${__dirname}/bundle/compiled`);
}

/** A pipe or a file is none. Only for the others, `process.stdout` is made, which loads what sockets need. */
function isTerminal(): boolean {
  return fstatSync(STDOUT).isCharacterDevice() && process.stdout.isTTY;
}

function print(text: Buffer): void {
  let written = 0;
  try {
    while (written < text.length) written += writeSync(STDOUT, text, written);
  } catch {
    // The pipe is full, or its reader needed only the first lines.
    process.stdout.on('error', () => {});
    process.stdout.write(text.subarray(written));
  }
}
