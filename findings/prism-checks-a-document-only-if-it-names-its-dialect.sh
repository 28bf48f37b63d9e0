#!/usr/bin/env bash
# Prism answers 200 to bodies that an OpenAPI 3.1 document forbids, unless the document names a dialect that it need not name.
#
# Tool       @stoplight/prism-cli 5.16.0, the mock server and contract proxy, with `--errors`
# Behaviour  A schema in OpenAPI 3.1 is one of JSON Schema 2020-12 if the document says nothing else. Prism checks by draft 7 then, where
#            `dependentRequired`, `unevaluatedProperties`, `minContains` and `prefixItems` mean nothing, and says nothing of them: a
#            contract test passes with bodies that the service refuses. `jsonSchemaDialect` with the address of 2020-12 at the top
#            turns them on. With the address that stands for the default of OpenAPI 3.1, which says no more than silence does,
#            nothing is checked at all. And keywords beside a `$ref`, which count in addition to it, replace those of the schema
#            that it refers to, in each case: with a `required` of its own, `email` is not required any more.
# Source     spec.openapis.org/oas/v3.1.1 (Schema Object, jsonSchemaDialect), json-schema.org/draft/2020-12 (core, section 8.2.3.1), and
#            the output below, seen on Node 20.20.2 on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @stoplight/prism-cli@5.16.0
cat >try.mjs <<'JS'
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';

const member = {
  $ref: '#/components/schemas/Person',
  required: ['name'],
  dependentRequired: { phone: ['country'] },
  properties: { roles: { contains: { const: 'host' }, minContains: 2 }, seat: { prefixItems: [{ type: 'string' }] } },
};
const content = { 'application/json': { schema: member } };
const paths = { '/members': { post: { requestBody: { required: true, content }, responses: { 204: { description: 'Kept' } } } } };
const components = { schemas: { Person: { type: 'object', required: ['email'] } } };
const good = { email: 'ada@example.test', name: 'Ada' };
const bodies = { 'an empty body': {}, 'no name': { email: good.email }, 'no email': { name: good.name }, 'a phone without country': { ...good, phone: '1' },
  'host once': { ...good, roles: ['host'] }, 'a number as seat': { ...good, seat: [1] } };

const free = await new Promise((found) => {
  const probe = createServer().listen(0, '127.0.0.1', () => found([probe.address().port, probe.close()][0]));
});
for (const jsonSchemaDialect of [undefined, 'https://json-schema.org/draft/2020-12/schema', 'https://spec.openapis.org/oas/3.1/dialect/base']) {
  writeFileSync('openapi.json', JSON.stringify({ openapi: '3.1.0', jsonSchemaDialect, info: { title: 'Members', version: '1' }, paths, components }));
  const prism = spawn('node_modules/.bin/prism', ['mock', 'openapi.json', '--errors', '--port', free], { stdio: 'ignore' });
  const ask = (body) =>
    fetch(`http://127.0.0.1:${free}/members`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  while (!(await ask(good).catch(() => undefined))) await new Promise((passed) => setTimeout(passed, 100));
  const taken = [];
  for (const [name, body] of Object.entries(bodies)) if ((await ask(body)).status < 300) taken.push(name);
  console.log(`${jsonSchemaDialect ?? 'not named'}: accepts ${taken.join(', ')}`);
  await new Promise((ended) => prism.once('exit', ended) && prism.kill());
}
JS
diff - <(node try.mjs) <<'SEEN'
not named: accepts no email, a phone without country, host once, a number as seat
https://json-schema.org/draft/2020-12/schema: accepts no email
https://spec.openapis.org/oas/3.1/dialect/base: accepts an empty body, no name, no email, a phone without country, host once, a number as seat
SEEN
echo 'as described'
