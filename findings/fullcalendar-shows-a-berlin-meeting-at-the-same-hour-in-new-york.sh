#!/usr/bin/env bash
# A calendar feed says 18:00 in Berlin; FullCalendar shows the meeting at 18:00 in New York, too.
#
# Library    @fullcalendar/icalendar 6.1.21 with @fullcalendar/core 6.1.21 and ical.js 1.5.0
# Behaviour  The feed gives `DTSTART;TZID=Europe/Berlin:…` and a VTIMEZONE, as most calendars write it. The plugin hands the time on
#            as a text without its zone, so each viewer sees the clock time of Berlin as their own: six hours late in New York. A
#            time in UTC is shown right, so one feed can be right in one line and wrong in the next, and a developer in the zone
#            of the feed sees nothing. `timeZone` does not help, not even with a plugin for named zones (luxon3 gives the same),
#            since the zone is gone by then. A feed that writes instants (`…Z`) helps.
# Source     fullcalendar.io/docs/icalendar (nothing on zones), fullcalendar.io/docs/timeZone, RFC 5545 section 3.3.5, and the output
#            below, seen on Node 20.20.2 on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund @fullcalendar/core@6.1.21 @fullcalendar/daygrid@6.1.21 @fullcalendar/icalendar@6.1.21 ical.js@1.5.0 jsdom@26.1.0
cat >try.cjs <<'JS'
const { JSDOM } = require('jsdom');

const { window } = new JSDOM('');
Object.assign(globalThis, { window, document: window.document, Node: window.Node, HTMLElement: window.HTMLElement });
globalThis.getComputedStyle = window.getComputedStyle;
const { Calendar } = require('@fullcalendar/core');
const plugins = [require('@fullcalendar/icalendar').default, require('@fullcalendar/daygrid').default];

const part = (kind, start, rule, from, to) =>
  [`BEGIN:${kind}`, `DTSTART:${start}`, `RRULE:FREQ=YEARLY;${rule}`, `TZOFFSETFROM:${from}`, `TZOFFSETTO:${to}`, `END:${kind}`];
const zone = ['BEGIN:VTIMEZONE', 'TZID:Europe/Berlin', ...part('DAYLIGHT', '19970330T020000', 'BYMONTH=3;BYDAY=-1SU', '+0100', '+0200'),
  ...part('STANDARD', '19961027T030000', 'BYMONTH=10;BYDAY=-1SU', '+0200', '+0100'), 'END:VTIMEZONE'];
const event = (uid, start) => ['BEGIN:VEVENT', `UID:${uid}@example.test`, 'DTSTAMP:20260101T000000Z', `DTSTART${start}`, `SUMMARY:${uid}`, 'END:VEVENT'];
const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example.test//meetings//EN', ...zone,
  ...event('with-zone', ';TZID=Europe/Berlin:20261201T180000'), ...event('in-utc', ':20261201T170000Z'), 'END:VCALENDAR', ''];
globalThis.fetch = async () => new Response(lines.join('\r\n'));

const calendar = new Calendar(document.createElement('div'), {
  plugins,
  initialView: 'dayGridWeek',
  initialDate: '2026-12-01',
  events: { url: 'https://example.test/feed.ics', format: 'ics' },
  eventsSet: (events) => {
    for (const one of events) console.log(one.title, one.start.toISOString(), one.startStr);
    if (events.length > 0) setImmediate(process.exit);
  },
});
calendar.render();
JS
diff - <(TZ=America/New_York node try.cjs) <<'SEEN'
with-zone 2026-12-01T23:00:00.000Z 2026-12-01T18:00:00-05:00
in-utc 2026-12-01T17:00:00.000Z 2026-12-01T12:00:00-05:00
SEEN
echo 'as described'
