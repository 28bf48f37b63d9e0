#!/usr/bin/env bash
# A schema allows text or null; Fastify takes a null of a JSON body as empty text, and refuses it where the schema says oneOf.
#
# Library    fastify 5.12.8, with the Ajv that it brings (8.20.0), set up as it sets it up; right: ajv 8.20.0 alone
# Behaviour  OpenAPI 3.1 and its generators write "text or null" as `anyOf` of the two types. A body `{ "left": null }` is valid as it
#            is. But Fastify has Ajv change types for queries, and does so for JSON bodies as well: within `anyOf` it tries the
#            first type, to which null can be changed, and goes no further. So "has not left" becomes a leaving day of '', a
#            number of seats without a limit becomes 0, and an unanswered question `false`. With null as the first one, 0 and
#            false become null. With `oneOf` null suits both types after the change, and the valid body is refused. Tests
#            without null pass. `type: ['string', 'null']` helps, or `coerceTypes: false` for bodies.
# Source     fastify.dev/docs/latest/Reference/Validation-and-Serialization (on queries and nullable), ajv.js.org/coercion.html,
#            github.com/fastify/fastify/issues/6411, and the output below, seen on Node 20.20.2 on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund fastify@5.12.8 ajv@8.20.0
cat >try.mjs <<'JS'
import { Ajv } from 'ajv';
import Fastify from 'fastify';

const none = { type: 'null' };
const schemas = {
  'text or null': { anyOf: [{ type: 'string' }, none] },
  'number or null': { anyOf: [{ type: 'integer' }, none] },
  'yes, no or null': { anyOf: [{ type: 'boolean' }, none] },
  'null or number': { anyOf: [none, { type: 'integer' }] },
  'one of text and null': { oneOf: [{ type: 'string' }, none] },
  'text and null as types': { type: ['string', 'null'] },
};
for (const [name, left] of Object.entries(schemas)) {
  const schema = { type: 'object', properties: { left } };
  const app = Fastify().post('/', { schema: { body: schema } }, async (request) => request.body);
  const sent = { left: name.startsWith('null') ? 0 : null };
  const { statusCode, body } = await app.inject({ method: 'POST', url: '/', payload: sent });
  const valid = new Ajv().validate(schema, structuredClone(sent));
  console.log(`${name}: sent ${JSON.stringify(sent)}, ${valid ? 'valid' : 'not valid'}: ${statusCode === 200 ? body : statusCode}`);
}
JS
diff - <(node try.mjs) <<'SEEN'
text or null: sent {"left":null}, valid: {"left":""}
number or null: sent {"left":null}, valid: {"left":0}
yes, no or null: sent {"left":null}, valid: {"left":false}
null or number: sent {"left":0}, valid: {"left":null}
one of text and null: sent {"left":null}, valid: 400
text and null as types: sent {"left":null}, valid: {"left":null}
SEEN
echo 'as described'
