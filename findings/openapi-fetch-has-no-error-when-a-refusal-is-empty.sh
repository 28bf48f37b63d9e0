#!/usr/bin/env bash
# A refused request looks like one that went well to openapi-fetch, if the refusal has no body.
#
# Library    openapi-fetch 0.17.0, the client for types made by openapi-typescript
# Behaviour  The README says that `error` is there if the answer is 4xx or 5xx, so callers write `if (error) …`. For an empty
#            answer it is undefined (with `Content-Length: 0`, as most servers send it) or the empty text (without a length, as
#            behind a proxy), both of which count as false. A DELETE refused with 403 then gives just what one answered with 204
#            gives: no data and no error, and the caller goes on as if the member were gone. `response.ok` is right in every case.
# Source     The README of openapi-fetch (its first example), and the output below, seen on Node 20.20.2 on 2026-11-28.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund openapi-fetch@0.17.0
cat >try.mjs <<'JS'
import { createServer } from 'node:http';
import createClient from 'openapi-fetch';

const answers = {
  '/gone': (response) => response.writeHead(204).end(),
  '/refused': (response) => response.writeHead(403, { 'content-length': '0' }).end(),
  '/refused-without-length': (response) => response.writeHead(403, { 'transfer-encoding': 'chunked' }).end(),
  '/refused-in-words': (response) => response.writeHead(403, { 'content-type': 'application/json' }).end('{"title":"No"}'),
};
const server = createServer((request, response) => answers[request.url](response));
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const client = createClient({ baseUrl: `http://127.0.0.1:${server.address().port}` });
for (const path of Object.keys(answers)) {
  const { error, response } = await client.DELETE(path);
  console.log(path, response.status, JSON.stringify(error), error ? 'refused' : 'looks deleted');
}
server.closeAllConnections();
server.close();
JS
diff - <(node try.mjs) <<'SEEN'
/gone 204 undefined looks deleted
/refused 403 undefined looks deleted
/refused-without-length 403 "" looks deleted
/refused-in-words 403 {"title":"No"} refused
SEEN
echo 'as described'
