#!/usr/bin/env bash
# With undici's cache, a calendar feed that has not changed for ten months is not asked again for thirty days.
#
# Library    undici 7.30.2 (8.13.1 does the same), with `interceptors.cache()`
# Behaviour  A feed sends ETag and Last-Modified so that readers can ask cheaply, and says nothing on how long an answer may be
#            kept. One expects such a reader to ask each time and to get 304. RFC 9111 lets a cache guess instead, and undici
#            does: an answer with Last-Modified counts as fresh for a tenth of its age, whatever the ETag. So the longer the
#            meetings were quiet, the longer a new one is not seen, and no request tells anybody. A feed that sends ETag alone is
#            fetched anew each time; adding Last-Modified to it freezes its readers. `Cache-Control: no-cache` from the feed, or
#            in the request, helps.
# Source     RFC 9111 section 4.2.2, undici.nodejs.org (Dispatcher, the cache interceptor), and the output below, seen on Node
#            20.20.2 on 2026-11-28.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund undici@7.30.2
cat >try.mjs <<'JS'
import { createServer } from 'node:http';
import { Agent, cacheStores, interceptors, request } from 'undici';

const day = 24 * 60 * 60 * 1000;
const feeds = {
  '/etag': { etag: '"1"' },
  '/etag-and-last-modified': { etag: '"1"', 'last-modified': new Date(Date.now() - 300 * day).toUTCString() },
  '/etag-and-last-modified-and-no-cache': {
    etag: '"1"',
    'last-modified': new Date(Date.now() - 300 * day).toUTCString(),
    'cache-control': 'no-cache',
  },
};
let asked = 0;
const server = createServer((incoming, response) => {
  asked += 1;
  response.writeHead(incoming.headers['if-none-match'] ? 304 : 200, feeds[incoming.url]).end();
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const origin = `http://127.0.0.1:${server.address().port}`;
const store = new cacheStores.MemoryCacheStore();
const dispatcher = new Agent().compose(interceptors.cache({ store }));
for (const path of Object.keys(feeds)) {
  asked = 0;
  for (let time = 1; time <= 3; time += 1) {
    const answer = await request(origin + path, { dispatcher });
    await answer.body.dump();
    await new Promise((passed) => setTimeout(passed, 50));
  }
  console.log(`${path}: read 3 times, asked ${asked} times`);
}
const kept = store.get({ origin, method: 'GET', path: '/etag-and-last-modified', headers: {} });
console.log('the second is kept for', Math.round((kept.staleAt - kept.cachedAt) / day), 'days');
process.exit();
JS
diff - <(node try.mjs) <<'SEEN'
/etag: read 3 times, asked 3 times
/etag-and-last-modified: read 3 times, asked 1 times
/etag-and-last-modified-and-no-cache: read 3 times, asked 3 times
the second is kept for 30 days
SEEN
echo 'as described'
