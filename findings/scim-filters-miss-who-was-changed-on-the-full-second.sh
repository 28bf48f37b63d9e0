#!/usr/bin/env bash
# "Who was changed since 9:00?" leaves out who was changed at 9:00 and later, as two SCIM libraries compare times as text.
#
# Library    scim2-parse-filter 0.2.10 and scim-query-filter-parser 2.0.4; right: scimmy 1.3.5
# Behaviour  A program that keeps up with a directory asks for `meta.lastModified ge "…"`, with the time of its last question. RFC 7644
#            says that such a comparison is chronological. Both libraries compare the characters. So 09:00:00.000Z, as JavaScript
#            writes it, comes before 09:00:00Z, as it does not: the full second, and with it 09:00:00.750Z, is "not since 9:00",
#            and people changed in it are missed this time and every later time. A time with an offset is off by the whole
#            offset: 10:00+01:00 is the same moment, and finds nobody of the hour after it. If both sides are written alike, as
#            in a test with toISOString() on either side, the answer is right.
# Source     RFC 7644 section 3.4.2.2 (gt, ge, lt, le: dateTime is compared chronologically), RFC 7643 section 2.3.5, and the output
#            below, seen on Node 20.20.2 on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund scim2-parse-filter@0.2.10 scim-query-filter-parser@2.0.4 scimmy@1.3.5
cat >try.mjs <<'JS'
import { compileFilter } from 'scim-query-filter-parser';
import { filter, parse } from 'scim2-parse-filter';
import scimmy from 'scimmy';

const changed = { Ada: '2026-11-30T09:00:00.000Z', Bob: '2026-11-30T09:00:00.750Z', Cyd: '2026-11-30T09:40:00.000Z' };
const members = Object.entries(changed).map(([userName, lastModified]) => ({ userName, meta: { lastModified } }));

for (const since of ['2026-11-30T09:00:00.000Z', '2026-11-30T09:00:00Z', '2026-11-30T10:00:00+01:00']) {
  const asked = `meta.lastModified ge "${since}"`;
  const found = {
    'scim2-parse-filter': members.filter(filter(parse(asked))),
    'scim-query-filter-parser': members.filter(compileFilter(asked)),
    scimmy: new scimmy.Types.Filter(asked).match(members),
  };
  console.log(asked);
  for (const [name, people] of Object.entries(found)) console.log(`  ${name}: ${people.map((one) => one.userName).join(' ') || 'nobody'}`);
}
JS
diff - <(node try.mjs) <<'SEEN'
meta.lastModified ge "2026-11-30T09:00:00.000Z"
  scim2-parse-filter: Ada Bob Cyd
  scim-query-filter-parser: Ada Bob Cyd
  scimmy: Ada Bob Cyd
meta.lastModified ge "2026-11-30T09:00:00Z"
  scim2-parse-filter: Cyd
  scim-query-filter-parser: Cyd
  scimmy: Ada Bob Cyd
meta.lastModified ge "2026-11-30T10:00:00+01:00"
  scim2-parse-filter: nobody
  scim-query-filter-parser: nobody
  scimmy: Ada Bob Cyd
SEEN
echo 'as described'
