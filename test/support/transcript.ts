import { appendFileSync } from 'node:fs';

/**
 * With `TRANSCRIPT=<file>` every request and answer of the HTTP suites is written to the file, a line each, with
 * what differs between two runs replaced. Two sorted transcripts are equal when nothing has changed on the wire:
 * `TRANSCRIPT=before.txt node test/dist/run.js http/`, the same afterwards, then `sort` and `diff`.
 */
export interface Exchanged {
  readonly asked: string;
  readonly status: number;
  /** Names and values in turn, as they came. */
  readonly headers: readonly string[];
  readonly text: string;
}

const file = process.env.TRANSCRIPT ?? '';

export function writeTranscript({ asked, status, headers, text }: Exchanged): void {
  if (file === '') return;
  const line = `${asked} => ${status} ${JSON.stringify(headers)} ${text}`;
  appendFileSync(file, `${normalised(line).replaceAll('\n', '\\n')}\n`);
}

const replaced: readonly (readonly [RegExp, string])[] = [
  [/"secret\\?":\\?"[^"\\]*/g, '"secret":"<secret>'],
  [/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi, '<uuid>'],
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>'],
  [/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT/g, '<date>'],
  [/\d{4}-\d\d-\d\dT[\d:]{8}(\.\d+)?Z/g, '<time>'],
  [/[\w-]{20,}/g, '<secret>'],
  [/127\.0\.0\.1:\d+/g, '<address>'],
  [/organizations\/\d+/g, 'organizations/<id>'],
  [/"id":\d+/g, '"id":<id>'],
];

function normalised(line: string): string {
  return replaced.reduce((text, [pattern, name]) => text.replace(pattern, name), line);
}
