import assert from 'node:assert/strict';
import { copiedText, follow } from '../support/page/client.js';
import { OWNER, type Upcoming, upcoming, upcomingLater, upcomingRecord } from './dataset.js';
import type { Context, Group, Peer } from './peer.js';

/** An event as a reader prints it. A reader may leave out an end that is not in the file. */
interface Event {
  readonly uid: string;
  readonly start: string;
  readonly end: string | null;
  readonly summary: string;
  readonly description: string | null;
}

interface Reader extends Omit<Peer, 'run'> {
  /** What it makes of the texts in the file, if it is not what they mean. */
  readonly reads?: (text: string) => string;
  /** A program that prints the events of the file `calendar.ics`. */
  readonly command: (context: Context) => readonly [program: string, ...args: readonly string[]];
}

function expected(meetings: readonly Upcoming[], reads: (text: string) => string): readonly Event[] {
  return meetings
    .filter(({ status }) => status === 'scheduled')
    .map(({ id, name, start, end, description }) => ({
      ...{ uid: `meeting-${id}@localhost`, start, end },
      ...{ summary: reads(name.replace('\u2028', '\n')), description: reads(description) },
    }));
}

async function tryReader({ command, reads = (text) => text }: Reader, context: Context): Promise<void> {
  const product = await context.product();
  const client = await product.browser(OWNER);
  const page = '/organizations/1/calendar';
  const url = copiedText((await follow(client, await client.fillIn(page, {}))).text, 'calendar-url') ?? '';
  const [program, ...args] = command(context);
  const read = async (): Promise<readonly Event[]> => {
    context.file('calendar.ics', await (await fetch(url, { headers: { Accept: 'text/calendar' } })).text());
    const events = JSON.parse(await context.exec(program, args)) as readonly Event[];
    return events
      .map((event) => ({ ...event, ...timesOf(event), description: event.description ?? '' }))
      .sort((one, other) => one.uid.localeCompare(other.uid));
  };
  assert.deepEqual(await read(), expected(upcoming, reads));
  await product.store(upcomingLater.map(upcomingRecord));
  assert.deepEqual(await read(), expected(upcomingLater, reads));
}

function timesOf({ start, end }: Event): Pick<Event, 'start' | 'end'> {
  return { start: new Date(start).toISOString(), end: new Date(end ?? start).toISOString() };
}

const python =
  (program: string): Reader['command'] =>
  () => ['/usr/bin/python3', '-c', `import json\ntext = open("calendar.ics", newline="").read()\n${program}`];

const ICALENDAR = `
from icalendar import Calendar
time = lambda value: value and value.dt.isoformat()
print(json.dumps([{"uid": e["UID"], "start": time(e["DTSTART"]), "end": time(e.get("DTEND")), "summary": e["SUMMARY"],
  "description": e["DESCRIPTION"]} for e in Calendar.from_ical(text).walk("VEVENT")]))`;

const VOBJECT = `
import vobject
print(json.dumps([{"uid": e.uid.value, "start": e.dtstart.value.isoformat(), "end": e.dtend.value.isoformat() if hasattr(e, "dtend") else None,
  "summary": e.summary.value, "description": e.description.value} for e in vobject.readOne(text).vevent_list]))`;

const LIBICAL = `
import gi
gi.require_version("ICalGLib", "3.0")
from gi.repository import ICalGLib
from datetime import datetime, timezone
time = lambda value: datetime.fromtimestamp(value.as_timet(), timezone.utc).isoformat()
calendar, events = ICalGLib.Component.new_from_string(text), []
e = calendar.get_first_component(ICalGLib.ComponentKind.VEVENT_COMPONENT)
while e:
  events.append({"uid": e.get_uid(), "start": time(e.get_dtstart()), "end": time(e.get_dtend()), "summary": e.get_summary(), "description": e.get_description()})
  e = calendar.get_next_component(ICalGLib.ComponentKind.VEVENT_COMPONENT)
print(json.dumps(events))`;

const RUBY = `
require "stringio"; require "icalendar"; require "json"; require "time"
events = Icalendar::Calendar.parse(File.read("calendar.ics", encoding: "utf-8")).first.events
puts events.map { |e| { uid: e.uid, start: e.dtstart.to_time.iso8601, end: e.dtend && e.dtend.to_time.iso8601, summary: e.summary, description: e.description } }.to_json`;

const PHP = `
error_reporting(E_ALL & ~E_DEPRECATED);
require '/usr/share/php/Sabre/VObject/autoload.php';
$events = [];
foreach (Sabre\\VObject\\Reader::read(file_get_contents('calendar.ics'))->VEVENT as $e)
  $events[] = ['uid' => (string) $e->UID, 'start' => $e->DTSTART->getDateTime()->format('c'), 'end' => isset($e->DTEND) ? $e->DTEND->getDateTime()->format('c') : null,
    'summary' => (string) $e->SUMMARY, 'description' => (string) $e->DESCRIPTION];
echo json_encode($events);`;

const ICAL_JS = `
import { readFileSync } from 'node:fs';
import ICAL from 'ical.js';
const calendar = new ICAL.Component(ICAL.parse(readFileSync('calendar.ics', 'utf8')));
const events = calendar.getAllSubcomponents('vevent').map((component) => new ICAL.Event(component));
console.log(JSON.stringify(events.map(({ uid, startDate, endDate, summary, description }) =>
  ({ uid, start: startDate.toJSDate(), end: endDate.toJSDate(), summary, description }))));`;

const NODE_ICAL = `
import nodeIcal from 'node-ical';
const events = Object.values(nodeIcal.sync.parseFile('calendar.ics')).filter(({ type }) => type === 'VEVENT');
console.log(JSON.stringify(events.map(({ uid, start, end, summary, description }) => ({ uid, start, end, summary, description }))));`;

const program =
  (text: string): Reader['command'] =>
  (context) => [context.node, context.file('read.mjs', text)];

const BACKSLASH_KEPT = '`C:\\\\new` in the file, which is `C:\\new`, is read as `C:\\` and a line break';

const readers: readonly Reader[] = [
  {
    name: 'icalendar (Python)',
    debian: ['python3-icalendar'],
    but: '`C:\\\\new` in the file, which is `C:\\new`, is read as `C:` and a line break',
    reads: (text) => text.replaceAll('C:\\new', 'C:\new'),
    command: python(ICALENDAR),
  },
  { name: 'vobject (Python)', debian: ['python3-vobject'], command: python(VOBJECT) },
  { name: 'libical', debian: ['gir1.2-ical-3.0', 'python3-gi'], command: python(LIBICAL) },
  {
    name: 'icalendar (Ruby)',
    debian: ['ruby-icalendar'],
    needs: '`require "stringio"`',
    but: BACKSLASH_KEPT,
    reads: (text) => text.replaceAll('C:\\new', 'C:\\\new'),
    command: () => ['ruby', '-e', RUBY],
  },
  {
    name: 'sabre/vobject (PHP)',
    but: '`,` and `;` keep the backslash before them',
    reads: (text) => text.replace(/[,;]/g, '\\$&'),
    debian: ['php-sabre-vobject', 'php8.2-cli'],
    command: () => ['php', '-r', PHP],
  },
  { name: 'ical.js', npm: ['ical.js@2.2.1'], command: program(ICAL_JS) },
  {
    name: 'node-ical',
    npm: ['node-ical@0.27.2'],
    but: BACKSLASH_KEPT,
    reads: (text) => text.replaceAll('C:\\new', 'C:\\\new'),
    command: program(NODE_ICAL),
  },
];

export const calendarGroup: Group = {
  title: 'Readers of calendars',
  tried:
    'A member’s calendar with a meeting that is moved, one that is cancelled, one of length zero, U+2028 in a name, and long lines; read before and after.',
  peers: readers.map((reader): Peer => ({ ...reader, run: (context) => tryReader(reader, context) })),
};
