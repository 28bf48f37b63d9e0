import assert from 'node:assert/strict';

/** What a calendar file says, by the names of its properties with their parameters. */
export type Properties = Readonly<Record<string, string>>;

export interface Calendar {
  readonly facts: Properties;
  readonly events: readonly Properties[];
}

/** Those whose values are of the type TEXT. */
const TEXTS = ['NAME', 'X-WR-CALNAME', 'PRODID', 'SUMMARY', 'LOCATION', 'DESCRIPTION'];

/** Reads a calendar file as RFC 5545 says; anything that it does not allow is an error. */
export function calendarIn(file: string): Calendar {
  assert.ok(file.endsWith('\r\n'), 'the last line has an end');
  const lines = file.slice(0, -2).split('\r\n');
  for (const line of lines) {
    assert.ok(Buffer.byteLength(line) <= 75, `more than 75 octets: ${line}`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what may not be there.
    assert.doesNotMatch(line, /[\0-\x08\x0a-\x1f\x7f]|\ufffd/);
  }
  const unfolded = lines.join('\r\n').replaceAll('\r\n ', '').split('\r\n');
  assert.deepEqual([unfolded.shift(), unfolded.pop()], ['BEGIN:VCALENDAR', 'END:VCALENDAR']);

  const firstEvent = unfolded.indexOf('BEGIN:VEVENT');
  const events: Properties[] = [];
  let rest = firstEvent === -1 ? [] : unfolded.slice(firstEvent);
  while (rest.length > 0) {
    assert.equal(rest[0], 'BEGIN:VEVENT');
    const end = rest.indexOf('END:VEVENT');
    events.push(propertiesOf(rest.slice(1, end)));
    rest = rest.slice(end + 1);
  }
  return { facts: propertiesOf(firstEvent === -1 ? unfolded : unfolded.slice(0, firstEvent)), events };
}

function propertiesOf(lines: readonly string[]): Properties {
  const entries = lines.map((line) => {
    const [, name = '', value = ''] = /^([A-Z-]+(?:;[A-Z]+=[A-Z]+)?):(.*)$/s.exec(line) ?? assert.fail(line);
    return [name, TEXTS.includes(name) ? unescaped(value) : value] as const;
  });
  assert.equal(new Set(entries.map(([name]) => name)).size, entries.length, 'each property is there once');
  return Object.fromEntries(entries);
}

function unescaped(value: string): string {
  assert.match(value, /^(?:[^\\;,]|\\[\\;,n])*$/s, 'what has to be escaped is');
  return value.replace(/\\(.)/g, (_whole, character) => (character === 'n' ? '\n' : character));
}
