#!/usr/bin/env bash
# Three OpenAPI tools ask a directory for the group that a SCIM example names; one puts the answer into the example.
#
# Tool       @apidevtools/swagger-parser 13.1.0, @hey-api/openapi-ts 0.99.0 and @redocly/openapi-core 2.64.0, on node 22.23.3 from
#            the package `node`
# Behaviour  In SCIM the address of a group or a manager is a value named `$ref`. An example in OpenAPI is data, so one expects it to
#            be left alone, as the schema's property of that name is. All three take it for a reference of the document and
#            ask its address. swagger-parser puts the answer in its place, and calls the document invalid if there is none; this
#            machine it asks only if allowed to. So whether a document is valid depends on whether the example's server
#            answers without a sign-in, and a check in CI that should need no network asks the servers of examples. Redocly
#            and Hey API's generator ask as well, say nothing, and go on as if they had not. In swagger-parser
#            `resolve: { external: false }` helps; real references to other files then stay unread.
# Source     OpenAPI 3.1.1 (Example Object: embedded literal example), RFC 7643 sections 2.3.7, 4.1.2 and 4.3, and the output below,
#            seen on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --engine-strict=false node@22.23.3 @apidevtools/swagger-parser@13.1.0 \
  @hey-api/openapi-ts@0.99.0 @redocly/openapi-core@2.64.0 typescript@5.9.3
cat >try.mjs <<'JS'
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import SwaggerParser from '@apidevtools/swagger-parser';
import { createClient } from '@hey-api/openapi-ts';
import { bundle, createConfig } from '@redocly/openapi-core';

let asked = [];
const directory = createServer((request, response) => {
  asked.push(request.url);
  response.setHeader('Content-Type', 'application/json').end('{"displayName":"Board"}');
});
await new Promise((listening) => directory.listen(0, '127.0.0.1', listening));
const origin = `http://127.0.0.1:${directory.address().port}`;

const text = { type: 'string' };
const group = { type: 'object', properties: { value: text, $ref: text } };
const schema = { type: 'object', properties: { userName: text, groups: { type: 'array', items: group } } };
const document = (address) => {
  const example = { userName: 'ada', groups: [{ value: '7', $ref: address }] };
  const content = { 'application/scim+json': { schema, example } };
  const get = { operationId: 'me', responses: { 200: { description: 'The user', content } } };
  return { openapi: '3.1.0', info: { title: 'Directory', version: '1' }, paths: { '/Me': { get } } };
};
const shown = (document) =>
  JSON.stringify(document.paths['/Me'].get.responses[200].content['application/scim+json'].example.groups);

async function tell(name, work) {
  asked = [];
  const said = await work().catch((error) => error.message.replace(/: getaddrinfo.*/, ''));
  console.log(`${name}: ${said}; asked for ${asked.join() || 'nothing'}`.replaceAll(origin, 'ORIGIN'));
}

const near = `${origin}/Groups/7`;
const far = 'https://directory.example.test/Groups/7';
const anywhere = { resolve: { http: { safeUrlResolver: false } } };
await tell('swagger-parser, far', async () => shown(await SwaggerParser.validate(document(far))));
await tell('swagger-parser, near', async () => shown(await SwaggerParser.validate(document(near))));
await tell('swagger-parser, near and allowed', async () => shown(await SwaggerParser.validate(document(near), anywhere)));
await tell('Hey API', async () => {
  writeFileSync('document.json', JSON.stringify(document(near)));
  const plugins = ['@hey-api/typescript'];
  await createClient({ input: 'document.json', output: 'client', plugins, logs: { level: 'silent' } });
  return readFileSync('client/types.gen.ts', 'utf8').includes('$ref?: string') ? 'generated' : 'not generated';
});
await tell('Redocly', async () => {
  writeFileSync('document.json', JSON.stringify(document(near)));
  return shown((await bundle({ ref: 'document.json', config: await createConfig({}) })).bundle.parsed);
});
directory.close();
JS
diff - <(node_modules/node/bin/node try.mjs) <<'SEEN'
swagger-parser, far: Error downloading https://directory.example.test/Groups/7; asked for nothing
swagger-parser, near: Unable to resolve $ref pointer "ORIGIN/Groups/7"; asked for nothing
swagger-parser, near and allowed: [{"value":"7","displayName":"Board"}]; asked for /Groups/7
Hey API: generated; asked for /Groups/7
Redocly: [{"value":"7","$ref":"ORIGIN/Groups/7"}]; asked for /Groups/7
SEEN
echo 'as described'
