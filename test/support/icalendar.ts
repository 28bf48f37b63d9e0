import assert from 'node:assert/strict';

/** The properties of a calendar or event, by name and parameters. */
export type Properties = Readonly<Record<string, string>>;

export interface Calendar {
  readonly facts: Properties;
  readonly events: readonly Properties[];
}

/** The properties with values of the type TEXT. */
const TEXTS = ['NAME', 'X-WR-CALNAME', 'PRODID', 'SUMMARY', 'LOCATION', 'DESCRIPTION'];

/** Reads a calendar file according to RFC 5545. Fails if the file violates it. */
export function calendarIn(file: string): Calendar {
  assert.ok(file.endsWith('\r\n'), 'the last line ends with CRLF');
  const lines = file.slice(0, -2).split('\r\n');
  for (const line of lines) {
    assert.ok(Buffer.byteLength(line) <= 75, `more than 75 octets: ${line}`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are not allowed
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
    return [name, TEXTS.includes(name) ? unescapeText(value) : value] as const;
  });
  assert.equal(new Set(entries.map(([name]) => name)).size, entries.length, 'each property occurs once');
  return Object.fromEntries(entries);
}

function unescapeText(value: string): string {
  assert.match(value, /^(?:[^\\;,]|\\[\\;,n])*$/s, 'special characters are escaped');
  return value.replace(/\\(.)/g, (_whole, character) => (character === 'n' ? '\n' : character));
}
