#!/usr/bin/env bash
# A test that stops the clock stops it for temporal-polyfill on Node 20, and no longer on Node 26.
#
# Library    temporal-polyfill 1.0.8 on node 20.20.2 and 26.10.0 from the package `node`; @js-temporal/polyfill 0.5.1 beside it
# Behaviour  `mock.timers` of node:test sets what `Date` says, and the polyfill asks `Date` for the time: both agree in a test. Node 26
#            has a Temporal of its own; the polyfill hands that one out, and it asks the system. The same test with the same
#            packages then sees a stopped `Date` and a running Temporal, which can be years apart. An invitation that has expired by
#            the clock of the test is open, so the test of its refusal fails on the newer Node alone; a test that something is
#            still open passes, whatever time it sets. `temporal-polyfill/implementation`, which never hands out the native one,
#            and @js-temporal/polyfill stay with the clock of the test.
# Source     nodejs.org/api/test.html (mock.timers, Date), github.com/fullcalendar/temporal-polyfill (uses the native one where there is
#            one), and the output below, seen on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --engine-strict=false temporal-polyfill@1.0.8 @js-temporal/polyfill@0.5.1 node20@npm:node@20.20.2 node26@npm:node@26.10.0
cat >try.mjs <<'JS'
import { mock } from 'node:test';
import { Temporal as older } from '@js-temporal/polyfill';
import { Temporal as newer } from 'temporal-polyfill';
import { Temporal as own } from 'temporal-polyfill/implementation';

mock.timers.enable({ apis: ['Date'], now: new Date('2050-06-01T12:00:00Z') });
const expiresAt = '2050-01-01T00:00:00Z';
const said = { Date: Date.parse(expiresAt) <= Date.now() };
const polyfills = { 'temporal-polyfill': newer, 'its implementation': own, '@js-temporal/polyfill': older };
for (const [name, Temporal] of Object.entries(polyfills)) {
  said[name] = Temporal.Instant.compare(expiresAt, Temporal.Now.instant()) <= 0;
}
const words = Object.entries(said).map(([name, expired]) => `${expired ? 'expired' : 'open'} by ${name}`);
console.log(`Node ${process.versions.node.split('.')[0]}: ${words.join(', ')}`);
JS
diff - <(for node in node20 node26; do "node_modules/$node/bin/node" --no-warnings try.mjs; done) <<'SEEN'
Node 20: expired by Date, expired by temporal-polyfill, expired by its implementation, expired by @js-temporal/polyfill
Node 26: expired by Date, open by temporal-polyfill, expired by its implementation, expired by @js-temporal/polyfill
SEEN
echo 'as described'
