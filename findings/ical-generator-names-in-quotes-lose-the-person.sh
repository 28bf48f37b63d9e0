#!/usr/bin/env bash
# A person whose name has quotation marks is missing from the invitation that ical-generator writes, and commas break its link.
#
# Library    ical-generator 10.2.0 writes; node-ical 0.26.1 and ical.js 2.2.1 read
# Behaviour  A value like `CN="…"` cannot hold a quotation mark; RFC 6868 gives `^'` for it. ical-generator writes a backslash and
#            the mark, so that the value ends there. node-ical drops such a line: the person is not among the attendees, and a
#            meeting with such an organizer has none. ical.js keeps the address and cuts the name. The library escapes commas and
#            semicolons in `URL` too, though only texts are escaped (a URL has the type URI): ical.js takes it as it is, and a
#            link to a map or a conference, which often has a comma, gets a backslash. node-ical undoes that, so a test with it
#            does not see it.
# Source     RFC 5545 sections 3.2 and 3.3.13, RFC 6868 section 3, and the output below, seen on Node 20.20.2 on 2026-11-28.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund ical-generator@10.2.0 node-ical@0.26.1 ical.js@2.2.1
cat >try.mjs <<'JS'
import ICAL from 'ical.js';
import ical from 'ical-generator';
import nodeIcal from 'node-ical';

const start = new Date('2026-12-01T17:00:00Z');
const calendar = ical({ prodId: '//example.test//meetings//EN' });
const url = 'https://map.example.test/@52.5,13.4';
const event = calendar.createEvent({ id: '1@example.test', start, summary: 'Council', url });
event.organizer({ name: 'Grace "Amazing" Hopper', email: 'grace@example.test' });
for (const [name, email] of [['Ada "Countess" Lovelace', 'ada@example.test'], ['Bob', 'bob@example.test']]) {
  event.createAttendee({ name, email });
}
const text = calendar.toString();

const list = (one) => [one ?? []].flat();
const person = (address) => `${address.params.CN} ${address.val}`;
const nodes = Object.values(nodeIcal.sync.parseICS(text)).find((one) => one.type === 'VEVENT');
console.log('node-ical, from:', list(nodes.organizer).map(person).join(', ') || 'nobody');
console.log('node-ical, to:', list(nodes.attendee).map(person).join(', '));
console.log('node-ical, link:', nodes.url.val);

const component = new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vevent');
const people = component.getAllProperties('attendee').map((one) => `${one.getFirstParameter('cn')} ${one.getFirstValue()}`);
console.log('ical.js, to:', people.join(', '));
console.log('ical.js, link:', component.getFirstPropertyValue('url'));
JS
diff - <(node try.mjs) <<'SEEN'
node-ical, from: nobody
node-ical, to: Bob MAILTO:bob@example.test
node-ical, link: https://map.example.test/@52.5,13.4
ical.js, to: Ada \ MAILTO:ada@example.test, Bob MAILTO:bob@example.test
ical.js, link: https://map.example.test/@52.5\,13.4
SEEN
echo 'as described'
