#!/usr/bin/env bash
# assert.deepStrictEqual passes for two different Temporal dates, headers, queries and answers.
#
# Library    node:assert of node 26.10.0 from the package `node`; Headers and URLSearchParams alike in 20.20.2 and 22.23.3
# Behaviour  `Date`, `Map`, `Set`, `RegExp`, `URL` and `Error` are compared by what they hold, so one expects the same of Temporal,
#            which Node 26 has built in. What it holds is in internal slots, that of Headers and URLSearchParams in private fields,
#            and the comparison sees neither: any two of one class are equal, also deep in other objects. A test that a meeting
#            was moved, that a request had a header or that a link had a filter passes whatever the code does. Since Node 24 that
#            holds for FormData, Request and Response, too, which had been told apart before: upgrading switches tests off.
#            Comparing `String(date)` or `[...headers]` helps.
# Source     nodejs.org/api/assert.html (Comparison details of deepStrictEqual), and the output below, seen on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >try.mjs <<'JS'
import assert from 'node:assert/strict';

function form(name) {
  const data = new FormData();
  data.set('name', name);
  return data;
}
const pairs = {
  Date: () => [new Date(0), new Date(1)],
  URL: () => [new URL('https://example.test/1'), new URL('https://example.test/2')],
  URLSearchParams: () => [new URLSearchParams('page=1'), new URLSearchParams('page=2&status=cancel')],
  Headers: () => [new Headers({ etag: '"1"' }), new Headers()],
  FormData: () => [form('Ada'), form('Bob')],
  Response: () => [new Response('done'), new Response('refused', { status: 403 })],
  'Temporal.Instant': () => ['2026-12-01T17:00Z', '2027-01-01T00:00Z'].map((text) => Temporal.Instant.from(text)),
  'an object with a Temporal.PlainDate': () => ['2026-12-01', '2026-12-24'].map((text) => ({ day: Temporal.PlainDate.from(text) })),
};
const same = [];
for (const [name, pair] of Object.entries(pairs)) {
  if (name.includes('Temporal') && !globalThis.Temporal) continue;
  try {
    assert.deepStrictEqual(...pair());
    same.push(name);
  } catch {}
}
console.log(`node ${process.versions.node.split('.')[0]} takes as equal: ${same.join(', ')}`);
JS
for version in 22.23.3 24.21.0 26.10.0; do
  npm install --silent --no-audit --no-fund --prefix "$version" "node@$version" >/dev/null
  "$version/node_modules/node/bin/node" try.mjs
done >seen.txt
diff - seen.txt <<'SEEN'
node 22 takes as equal: URLSearchParams, Headers
node 24 takes as equal: URLSearchParams, Headers, FormData, Response
node 26 takes as equal: URLSearchParams, Headers, FormData, Response, Temporal.Instant, an object with a Temporal.PlainDate
SEEN
echo 'as described'
