#!/usr/bin/env bash
# Since got 15, a PUT or PATCH that is redirected to https or to another host arrives empty, and counts as a success.
#
# Library    got 16.1.0 (15.1.0 and 16.0.0 do the same, 14.6.6 does not)
# Behaviour  On 301 and 302 `fetch` and browsers make a GET of a POST alone; PUT and PATCH are sent again with what they carry. got
#            sends a PUT or PATCH again with its method and nothing in it, if the new address has another scheme, host or port.
#            Its documentation speaks of POST there, which becomes a GET. Where an empty file is a file, or what is left out is to
#            be emptied, the change is made, and got returns the 200. Where addresses stay on one host, as in most tests,
#            everything arrives, and a POST does so twice: there got posts again where `fetch` asks for the page that follows.
# Source     fetch.spec.whatwg.org (HTTP-redirect fetch), RFC 9110 sections 15.4.2 and 15.4.3, got's documentation of
#            `methodRewriting`, and the output below, seen on node 22.23.3 from the package `node` on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --engine-strict=false node@22.23.3 got@16.1.0
cat >try.mjs <<'JS'
import { createServer } from 'node:http';
import got from 'got';

let arrived;
async function listening(next) {
  const server = createServer(async (request, response) => {
    const parts = await request.toArray();
    if (request.url.startsWith('/old')) {
      response.writeHead(request.url.slice(-3), { Location: `${next}/new` }).end();
      return;
    }
    arrived = `${request.method} ${Buffer.concat(parts).toString() || 'empty'}`;
    response.end('ok');
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return `http://127.0.0.1:${server.address().port}`;
}

const elsewhere = await listening();
const origin = await listening(elsewhere);
const same = await listening('');
const json = { name: 'Ada' };
for (const [where, address] of [['another port', origin], ['the same', same]]) {
  for (const code of [301, 308]) {
    for (const method of ['POST', 'PUT', 'PATCH']) {
      const { statusCode } = await got(`${address}/old/${code}`, { method, json });
      const withGot = `${arrived}, ${statusCode}`;
      await (await fetch(`${address}/old/${code}`, { method, body: JSON.stringify(json) })).text();
      console.log(`${code} to ${where}, ${method}: got ${withGot}; fetch ${arrived}`);
    }
  }
}
process.exit();
JS
diff - <(node_modules/node/bin/node try.mjs) <<'SEEN'
301 to another port, POST: got GET empty, 200; fetch GET empty
301 to another port, PUT: got PUT empty, 200; fetch PUT {"name":"Ada"}
301 to another port, PATCH: got PATCH empty, 200; fetch PATCH {"name":"Ada"}
308 to another port, POST: got POST {"name":"Ada"}, 200; fetch POST {"name":"Ada"}
308 to another port, PUT: got PUT {"name":"Ada"}, 200; fetch PUT {"name":"Ada"}
308 to another port, PATCH: got PATCH {"name":"Ada"}, 200; fetch PATCH {"name":"Ada"}
301 to the same, POST: got POST {"name":"Ada"}, 200; fetch GET empty
301 to the same, PUT: got PUT {"name":"Ada"}, 200; fetch PUT {"name":"Ada"}
301 to the same, PATCH: got PATCH {"name":"Ada"}, 200; fetch PATCH {"name":"Ada"}
308 to the same, POST: got POST {"name":"Ada"}, 200; fetch POST {"name":"Ada"}
308 to the same, PUT: got PUT {"name":"Ada"}, 200; fetch PUT {"name":"Ada"}
308 to the same, PATCH: got PATCH {"name":"Ada"}, 200; fetch PATCH {"name":"Ada"}
SEEN
echo 'as described'
