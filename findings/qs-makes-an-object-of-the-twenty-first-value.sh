#!/usr/bin/env bash
# Twenty values of a query are a list, twenty-one are an object: with Express, since a patch release of qs.
#
# Library    qs 6.17.1 with express 5.3.0 and `query parser` set to `extended`; qs 6.14.0 for comparison
# Behaviour  `arrayLimit` was known to concern indices like `id[9999]=x`, for which a list would be huge. Since 6.14.1 it also counts
#            the values of `id[]=1&id[]=2` and of plain `id=1&id=2`: from the 21st on, the result is an object with the keys 0 to
#            20. `Array.isArray` is false, `length` undefined and `[].concat(ids)` one object, so a program that takes a single
#            value or a list takes it as a single one, or as none. The same list in a form, which express.urlencoded reads with the
#            same library, is a list: GET and POST of one operation differ, and both depend on how many values a person selects. A
#            parser of one's own with a larger `arrayLimit` helps.
# Source     The README and the changelog of qs (arrayLimit, 6.14.1), github.com/expressjs/express/issues/7147, and the output below,
#            seen on Node 20.20.2 on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund express@5.3.0 qs@6.17.1 qs-before@npm:qs@6.14.0
cat >try.mjs <<'JS'
import express from 'express';
import qs from 'qs';
import before from 'qs-before';

const kind = (value) => (Array.isArray(value) ? `a list of ${value.length}` : `an object of ${Object.keys(value).length}`);
const app = express();
app.set('query parser', 'extended');
app.use(express.urlencoded({ extended: true }));
app.get('/', (request, response) => response.send(kind(request.query.id)));
app.post('/', (request, response) => response.send(kind(request.body.id)));
const server = app.listen(0, '127.0.0.1');
await new Promise((listening) => server.once('listening', listening));
const url = `http://127.0.0.1:${server.address().port}/`;
for (const count of [20, 21]) {
  const text = Array.from({ length: count }, (_, n) => `id=${n + 1}`).join('&');
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  console.log(`${count} values, qs 6.14.0: ${kind(before.parse(text).id)}, qs 6.17.1: ${kind(qs.parse(text).id)}`);
  console.log('  express, in the address:', await (await fetch(`${url}?${text}`)).text());
  console.log('  express, in a form:', await (await fetch(url, { method: 'POST', headers, body: text })).text());
}
process.exit();
JS
diff - <(node try.mjs) <<'SEEN'
20 values, qs 6.14.0: a list of 20, qs 6.17.1: a list of 20
  express, in the address: a list of 20
  express, in a form: a list of 20
21 values, qs 6.14.0: a list of 21, qs 6.17.1: an object of 21
  express, in the address: an object of 21
  express, in a form: a list of 21
SEEN
echo 'as described'
