import { appendFileSync } from 'node:fs';

/**
 * With `TRANSCRIPT=<file>`, every request of the HTTP suites and its response is written to the file, one per line.
 * Values that differ between two runs are replaced. To check that nothing has changed on the wire, run
 * `TRANSCRIPT=before.txt node test/dist/run.js http/` before and after the change, and compare the files with `sort`
 * and `diff`.
 */
export interface Exchanged {
  readonly request: string;
  readonly status: number;
  /** Names and values alternate, in the order of the response. */
  readonly headers: readonly string[];
  readonly text: string;
}

const file = process.env.TRANSCRIPT ?? '';

export function writeTranscript(exchanged: () => Exchanged): void {
  if (file === '') return;
  const { request, status, headers, text } = exchanged();
  const line = `${request} => ${status} ${JSON.stringify(headers)} ${text}`;
  appendFileSync(file, `${normalized(line).replaceAll('\n', '\\n')}\n`);
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

function normalized(line: string): string {
  return replaced.reduce((text, [pattern, name]) => text.replace(pattern, name), line);
}
