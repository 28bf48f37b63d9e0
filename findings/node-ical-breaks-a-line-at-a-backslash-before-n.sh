#!/usr/bin/env bash
# A folder `C:\new` in a meeting: a calendar library shows a line break and "ew".
#
# Library    node-ical 0.27.2; right: ical.js 2.2.1
# Behaviour  In iCalendar a text has its backslashes doubled, so the file says `C:\\new`. node-ical looks for `\n` before `\\`, and
#            reads the second backslash and the n as a line break; the first backslash stays. The writer cannot avoid it,
#            because there is no other way to write a backslash. What is lost is a path, a share (`\\server\notes`) or a domain
#            with a user name (`EXAMPLE\nina`). Seen likewise with the packages icalendar of Python (4.0.3, no backslash stays)
#            and of Ruby (2.8.0), not with vobject 0.9.6 and libical 3.0.16.
# Source     RFC 5545 section 3.3.11 (TEXT), and the output below of node-ical and ical.js, seen on Node 20.20.2 on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund node-ical@0.27.2 ical.js@2.2.1
cat >try.mjs <<'JS'
import ICAL from 'ical.js';
import nodeIcal from 'node-ical';

const text = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//example.test//meetings//EN',
  'BEGIN:VEVENT',
  'UID:1@example.test',
  'DTSTAMP:20260501T000000Z',
  'DTSTART:20260604T090000Z',
  'SUMMARY:C:\\\\new\\; bring it',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');
const event = Object.values(nodeIcal.sync.parseICS(text)).find(({ type }) => type === 'VEVENT');
console.log('node-ical', JSON.stringify(event.summary));
const component = new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vevent');
console.log('ical.js  ', JSON.stringify(component.getFirstPropertyValue('summary')));
JS
diff - <(node try.mjs) <<'SEEN'
node-ical "C:\\\new; bring it"
ical.js   "C:\\new; bring it"
SEEN
echo 'as described'
