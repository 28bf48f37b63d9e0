#!/usr/bin/env node
import { readFileSync } from 'node:fs';

/** What never changes is printed from the files that the build writes, as soon as Node has started. On a terminal, help has its width. */
const printed: Readonly<Record<string, string>> = {
  '--help': 'help.txt',
  '-h': 'help.txt',
  '--version': 'version.txt',
  '-V': 'version.txt',
};
const [option = '', ...others] = process.argv.slice(2);
const file = others.length > 0 || process.stdout.isTTY ? undefined : printed[option];

if (file === undefined) {
  // The bundle that the build makes loads in a third of the time that its modules take.
  await import(new URL('./bundle/command-line.js', import.meta.url).href);
} else {
  // A reader may need only the first lines.
  process.stdout.on('error', () => {});
  process.stdout.write(readFileSync(new URL(`./bundle/${file}`, import.meta.url)));
}
