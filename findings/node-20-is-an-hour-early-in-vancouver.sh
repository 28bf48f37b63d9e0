#!/usr/bin/env bash
# The last Node 20 shows the times of this winter in Vancouver an hour early; Node 22 and later show them right.
#
# Runtime    node 20.20.2 and 22.23.3, from the package `node`
# Behaviour  British Columbia stays on UTC-7 from 2026 on and has put its clocks back for the last time. Node brings its own time zone
#            data: 20.20.2, the last of its line, has release 2025c, 22.23.3 has 2026c. Updating the system's data changes nothing,
#            because Node does not read them. The same instant differs by an hour, and a meeting planned for 18:00 is shown at 17:00.
# Source     The release notes of tz 2026 at data.iana.org/time-zones/tzdb/NEWS, `process.versions.tz`, and the output below, seen on
#            2026-11-28. Data in `ICU_DATA`, or a Node built with the system's ICU, can differ.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >try.cjs <<'JS'
const zone = { timeZone: 'America/Vancouver', timeStyle: 'short', hourCycle: 'h23' };
console.log(process.versions.tz, new Intl.DateTimeFormat('en-CA', zone).format(new Date('2026-12-02T01:00:00Z')));
JS
for version in 20.20.2 22.23.3; do
  mkdir "$version"
  (cd "$version" && npm init --yes >/dev/null && npm install --silent --no-audit --no-fund "node@$version")
  "$version/node_modules/node/bin/node" try.cjs >>seen.txt
done
diff - seen.txt <<'SEEN'
2025c 17:00
2026c 18:00
SEEN
echo 'as described'
