#!/usr/bin/env bash
# With undici's deduplicate interceptor, the timeout of whoever asked first fails everybody who asked for the same since.
#
# Library    undici 8.13.1, with `interceptors.deduplicate()`
# Behaviour  Equal GET requests at the same time become one, and all get its answer. One expects each caller to keep its own
#            `signal`: a page that gives up after 100 ms, a report that waits for 5 s. The one that comes later and gives up leaves
#            the others alone. But if the first one gives up, the request is ended for all, also for those that have no signal, at
#            once, and nobody asks again. They get the first one's reason: a TimeoutError where no timeout was set (fetch says
#            "fetch failed"). So the most impatient caller sets the limit, and only when it happens to come first, which a test
#            with one caller does not show.
# Source     undici.nodejs.org (Interceptors, deduplicate), github.com/nodejs/undici/issues/5711, and the output below, seen on
#            Node 22.23.3 from the package `node` on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --engine-strict=false node@22.23.3 undici@8.13.1
cat >try.mjs <<'JS'
import { createServer } from 'node:http';
import { Agent, interceptors, request } from 'undici';

let asked = 0;
const server = createServer((_, response) => {
  asked += 1;
  setTimeout(() => response.end('members'), 1000);
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const url = `http://127.0.0.1:${server.address().port}`;
const dispatcher = new Agent().compose(interceptors.deduplicate());

async function ask(limit) {
  const signal = limit === undefined ? undefined : AbortSignal.timeout(limit);
  try {
    return await (await request(url, { dispatcher, signal })).body.text();
  } catch (error) {
    return error.name;
  }
}

for (const limits of [[undefined, 100, 5000], [100, undefined, 5000]]) {
  asked = 0;
  const seen = await Promise.all(limits.map(ask));
  const callers = limits.map((limit, index) => `${limit ?? 'no'} limit: ${seen[index]}`);
  console.log(callers.join(', '), `(asked ${asked} time)`);
}
process.exit();
JS
diff - <(node_modules/node/bin/node try.mjs) <<'SEEN'
no limit: members, 100 limit: TimeoutError, 5000 limit: members (asked 1 time)
100 limit: TimeoutError, no limit: TimeoutError, 5000 limit: TimeoutError (asked 1 time)
SEEN
echo 'as described'
