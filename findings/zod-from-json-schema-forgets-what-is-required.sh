#!/usr/bin/env bash
# Made from a JSON Schema, a Zod schema forgets what is required and how long a text may be, if these stand without a `type`.
#
# Library    zod 4.6.7 (`z.fromJSONSchema`), compared with ajv 8.20.0
# Behaviour  A keyword that Zod has no counterpart for, like `if` or `not`, makes the conversion throw, so one trusts a conversion
#            that passes. But a schema without `type` becomes one that accepts everything, whatever else it says, and all that
#            stands beside `$ref` is left out. Descriptions of interfaces are full of both: a shared part and then `allOf: [{ $ref
#            }, { required }]` for what is stricter when something is made. The required names are gone, also those that
#            `properties` does not list; so are limits within `allOf`. In `oneOf` it turns round: two parts that only differ in
#            what they require both accept everything, so no value suits exactly one, and valid ones are refused.
# Source     zod.dev/json-schema (z.fromJSONSchema, called experimental), JSON Schema 2020-12 Core section 8.2.3.1 and Validation
#            section 6.5.3, and the output below, seen on Node 20.20.2 on 2026-11-28.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund zod@4.6.7 ajv@8.20.0
cat >try.mjs <<'JS'
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';

const person = { type: 'object', properties: { name: { type: 'string' }, email: { type: 'string' } } };
const ajv = new Ajv2020({ strict: false });

function compare(what, schema, value) {
  const word = (accepted) => (accepted ? 'accepts' : 'refuses');
  const byZod = z.fromJSONSchema(schema).safeParse(value).success;
  console.log(`${what}: Ajv ${word(ajv.validate(schema, value))}, Zod ${word(byZod)} ${JSON.stringify(value)}`);
}

const $defs = { person };
compare('required in allOf', { $defs, allOf: [{ $ref: '#/$defs/person' }, { required: ['email'] }] }, { name: 'Ada' });
compare('required beside $ref', { $defs, $ref: '#/$defs/person', required: ['email'] }, { name: 'Ada' });
compare('required, not in properties', { ...person, required: ['id'] }, { name: 'Ada' });
compare('length in allOf', { type: 'string', allOf: [{ minLength: 3 }, { maxLength: 9 }] }, 'a');
compare('one of two required', { ...person, oneOf: [{ required: ['name'] }, { required: ['email'] }] }, { name: 'Ada' });
JS
diff - <(node try.mjs) <<'SEEN'
required in allOf: Ajv refuses, Zod accepts {"name":"Ada"}
required beside $ref: Ajv refuses, Zod accepts {"name":"Ada"}
required, not in properties: Ajv refuses, Zod accepts {"name":"Ada"}
length in allOf: Ajv refuses, Zod accepts "a"
one of two required: Ajv accepts, Zod refuses {"name":"Ada"}
SEEN
echo 'as described'
