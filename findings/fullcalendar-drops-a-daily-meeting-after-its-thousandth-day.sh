#!/usr/bin/env bash
# A meeting on every day vanishes from FullCalendar after two years and nine months, with the thousandth one.
#
# Library    @fullcalendar/icalendar 6.1.21 with @fullcalendar/core 6.1.21 and ical.js 1.5.0; ical-expander 3.2.0, whose code it has
# Behaviour  A series without an end is to be shown in whatever week one looks at. The plugin goes through it from its first date
#            for each view, and stops after 1000 dates, whether or not it has reached the view: from the 1001st on, a daily meeting
#            is in no week, one on working days after four years. Nothing is reported, an older week still shows it, and a test
#            with a series that begins today passes. ical-expander has `maxIterations` for it (0: no end); the plugin does not pass
#            one. Writing the dates of the window as single events, or a later DTSTART, helps.
# Source     The README of ical-expander (maxIterations), fullcalendar.io/docs/icalendar (nothing on it), and the output below, seen
#            on Node 20.20.2 on 2026-11-30.
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

const event = (uid, rule) => ['BEGIN:VEVENT', `UID:${uid}@example.test`, 'DTSTAMP:20240101T000000Z', 'DTSTART:20240304T170000Z',
  `RRULE:FREQ=${rule}`, `SUMMARY:${uid}`, 'END:VEVENT'];
const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example.test//meetings//EN', ...event('daily', 'DAILY'),
  ...event('weekly', 'WEEKLY'), 'END:VCALENDAR', ''];
globalThis.fetch = async () => new Response(lines.join('\r\n'));

/** How often the week of a Monday shows each of the two. */
const shown = (monday, sunday) => new Promise((done) => {
  new Calendar(document.createElement('div'), {
    ...{ plugins, timeZone: 'UTC', firstDay: 1, initialView: 'dayGridWeek', initialDate: monday },
    events: { url: 'https://example.test/feed.ics', format: 'ics' },
    eventsSet: (events) => {
      const week = events.filter(({ startStr }) => startStr >= monday && startStr.slice(0, 10) <= sunday);
      const count = (title) => `${title} ${week.filter((one) => one.title === title).length}`;
      if (events.length > 0) done(`${monday}: ${count('daily')}, ${count('weekly')}`);
    },
  }).render();
});

(async () => {
  for (const week of [['2026-11-16', '2026-11-22'], ['2026-11-23', '2026-11-29'], ['2026-11-30', '2026-12-06']]) {
    console.log(await shown(...week));
  }
  process.exit();
})();
JS
diff - <(node try.cjs) <<'SEEN'
2026-11-16: daily 7, weekly 1
2026-11-23: daily 6, weekly 1
2026-11-30: daily 0, weekly 1
SEEN
echo 'as described'
