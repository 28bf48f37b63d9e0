import assert from 'node:assert/strict';
import ICAL from 'ical.js';

/** The properties of a calendar or event, by name. Times and durations are as in the file. */
export type Properties = Readonly<Record<string, string>>;

export interface Calendar {
  readonly facts: Properties;
  readonly events: readonly Properties[];
}

/** The names of properties with values of the type TEXT, each with its value. */
const TEXTS = /^(?:NAME|X-WR-CALNAME|PRODID|SUMMARY|LOCATION|DESCRIPTION):(.*)$/gms;

/** Reads a calendar file with ical.js. Fails if the file violates RFC 5545 in what readers differ in. */
export function calendarIn(file: string): Calendar {
  assert.ok(file.endsWith('\r\n'), 'the last line ends with CRLF');
  for (const line of file.slice(0, -2).split('\r\n')) {
    assert.ok(Buffer.byteLength(line) <= 75, `more than 75 octets: ${line}`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are not allowed
    assert.doesNotMatch(line, /[\0-\x08\x0a-\x1f\x7f]|\ufffd/);
  }
  for (const line of file.replaceAll('\r\n ', '').split('\r\n'))
    for (const [, value = ''] of line.matchAll(TEXTS))
      assert.match(value, /^(?:[^\\;,]|\\[\\;,n])*$/s, 'special characters are escaped');
  const calendar = new ICAL.Component(ICAL.parse(file));
  return {
    facts: propertiesOf(calendar),
    events: calendar.getAllSubcomponents('vevent').map(propertiesOf),
  };
}

function propertiesOf(component: ICAL.Component): Properties {
  const entries = component.getAllProperties().map((property) => {
    const value = property.getFirstValue();
    const isTime = value instanceof ICAL.Time || value instanceof ICAL.Duration;
    const text = isTime ? value.toICALString() : String(value);
    // ical.js does not know NAME and X-WR-CALNAME, whose values are texts.
    return [property.name.toUpperCase(), property.type === 'unknown' ? unescapeText(text) : text] as const;
  });
  assert.equal(new Set(entries.map(([name]) => name)).size, entries.length, 'each property occurs once');
  return Object.fromEntries(entries);
}

function unescapeText(value: string): string {
  return value.replace(/\\(.)/g, (_whole, character) => (character === 'n' ? '\n' : character));
}
