#!/usr/bin/env bash
# 1,500 identifiers in a query: Express 5 hands on the first thousand and answers 200.
#
# Library    express 5.3.0 (its `simple` query parser, which is node:querystring); fastify 5.12.8 and URLSearchParams hand on all
# Behaviour  A client asks for many people at once, `?id=1&id=2…`, in an address well within the 16 KB that Node takes. Express 5 reads
#            queries with node:querystring, which stops after 1000 pairs, and Express does not pass another limit. What comes after
#            is gone without an error: from a list of who is to be invited the last five hundred are not, and a parameter that
#            stands behind the list, such as `dryRun=true`, is not there. A form with as many fields is refused with 413, so you
#            trust that too many are reported. Your own parser helps: `app.set('query parser', …)`.
# Source     nodejs.org/api/querystring.html (maxKeys), expressjs.com/en/5x/api.html (query parser: nothing on a limit), and the
#            output below, seen on Node 20.20.2 on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund express@5.3.0 fastify@5.12.8
cat >try.mjs <<'JS'
import express from 'express';
import Fastify from 'fastify';

const shown = ({ id, dryRun }) => ({ people: id.length, dryRun });
const pairs = [...Array.from({ length: 1500 }, (_, index) => ['id', String(index + 1)]), ['dryRun', 'true']];
const query = new URLSearchParams(pairs).toString();
console.log(`${query.length} characters`);

const app = express();
app.get('/', (request, response) => response.json(shown(request.query)));
app.post('/', express.urlencoded({ extended: false }), (request, response) => response.json(shown(request.body)));
app.use((error, _request, response, _next) => response.status(error.status).json(error.type));
const server = await new Promise((listening) => {
  const started = app.listen(0, '127.0.0.1', () => listening(started));
});
const url = `http://127.0.0.1:${server.address().port}/`;
const told = async (name, answer) => console.log(`${name}: ${answer.status} ${await answer.text()}`);
await told('Express, query', await fetch(`${url}?${query}`));
await told('Express, form', await fetch(url, { method: 'POST', body: new URLSearchParams(pairs) }));
server.close();

const fastify = Fastify().get('/', async (request) => shown(request.query));
await told('Fastify, query', await fetch(`${await fastify.listen({ port: 0, host: '127.0.0.1' })}/?${query}`));
await fastify.close();
JS
diff - <(node try.mjs) <<'SEEN'
10904 characters
Express, query: 200 {"people":1000}
Express, form: 413 "parameters.too.many"
Fastify, query: 200 {"people":1500,"dryRun":"true"}
SEEN
echo 'as described'
