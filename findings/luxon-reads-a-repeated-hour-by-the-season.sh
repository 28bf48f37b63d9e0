#!/usr/bin/env bash
# Luxon reads the same text in the same zone as another instant in winter than in summer.
#
# Library    luxon 3.7.2
# Behaviour  02:30 comes twice in Berlin on 2026-10-25. For a fixed text and a fixed zone one expects a fixed answer, as java.time
#            and Temporal give it. Luxon tries the offset first that the zone had when the process read its first local time: a
#            process started in July reads the earlier 02:30, one started in January the later one. A meeting saved by its local
#            time moves by an hour when the server restarts after the clocks have changed, and a test of it passes for half of the
#            year. Southern zones have it the other way round. A time that is not repeated is not affected.
# Source     moment.github.io/luxon/#/zones (Ambiguous times), which calls the choice undefined and shows one fixed outcome, and
#            the output below, seen on Node 20.20.2 on 2026-11-28. `Settings.now`, Luxon's own setting, stands for the season.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund luxon@3.7.2
cat >try.mjs <<'JS'
import { DateTime, Settings } from 'luxon';

Settings.now = () => Date.parse(process.argv[2]);
const read = (text, zone) => DateTime.fromISO(text, { zone }).toUTC().toISO({ suppressMilliseconds: true });
console.log('read in', process.argv[2].slice(0, 7));
console.log('  Berlin', read('2026-10-25T02:30', 'Europe/Berlin'), 'Sydney', read('2027-04-04T02:30', 'Australia/Sydney'));
console.log('  a day earlier', read('2026-10-24T02:30', 'Europe/Berlin'), read('2027-04-03T02:30', 'Australia/Sydney'));
JS
for day in 2026-01-15 2026-07-15; do
  TZ=UTC node try.mjs "$day" >>seen.txt
done
diff - seen.txt <<'SEEN'
read in 2026-01
  Berlin 2026-10-25T01:30:00Z Sydney 2027-04-03T15:30:00Z
  a day earlier 2026-10-24T00:30:00Z 2027-04-02T15:30:00Z
read in 2026-07
  Berlin 2026-10-25T00:30:00Z Sydney 2027-04-03T16:30:00Z
  a day earlier 2026-10-24T00:30:00Z 2027-04-02T15:30:00Z
SEEN
echo 'as described'
