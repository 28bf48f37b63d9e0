#!/usr/bin/env bash
# Cutting the seconds off a TZDate of date-fns moves it by an hour in the night the clocks go back, another way on each server.
#
# Library    @date-fns/tz 1.5.0 with date-fns 4.4.0
# Behaviour  02:30 comes twice in Berlin on 2026-10-25. A TZDate knows which one it is, until something is set on it, even to the
#            value that it has: it then takes its time of day anew, and which of the two it gets follows the zone of the system.
#            Under TZ=UTC, as on most servers, `startOfMinute` returns an instant that is 59:50 after its argument; under
#            TZ=Europe/Berlin, as on a developer's machine, it leaves that one alone and takes the later one an hour back. So
#            times rounded for a comparison, a key or a queue are an hour off, and `eachHourOfInterval` leaves out one of the five
#            hours of a night.
# Source     The README of @date-fns/tz, which promises calculations in the given zone rather than the system's, and the output
#            below, seen on Node 20.20.2 on 2026-11-28.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund @date-fns/tz@1.5.0 date-fns@4.4.0
cat >try.mjs <<'JS'
import { TZDate } from '@date-fns/tz';
import { eachHourOfInterval, startOfMinute } from 'date-fns';

const berlin = (instant) => new TZDate(instant, 'Europe/Berlin');
for (const instant of ['2026-10-25T00:30:10Z', '2026-10-25T01:30:10Z']) {
  console.log(instant, '->', new Date(+startOfMinute(berlin(instant))).toISOString());
}
const night = { start: berlin('2026-10-24T23:00:00Z'), end: berlin('2026-10-25T03:00:00Z') };
console.log('hours:', eachHourOfInterval(night).map((hour) => new Date(+hour).toISOString().slice(11, 16)).join(' '));
JS
for zone in UTC Europe/Berlin; do
  echo "a system in $zone" >>seen.txt
  TZ=$zone node try.mjs >>seen.txt
done
diff - seen.txt <<'SEEN'
a system in UTC
2026-10-25T00:30:10Z -> 2026-10-25T01:30:00.000Z
2026-10-25T01:30:10Z -> 2026-10-25T01:30:00.000Z
hours: 23:00 01:00 02:00 03:00
a system in Europe/Berlin
2026-10-25T00:30:10Z -> 2026-10-25T00:30:00.000Z
2026-10-25T01:30:10Z -> 2026-10-25T00:30:00.000Z
hours: 23:00 00:00 02:00 03:00
SEEN
echo 'as described'
