#!/usr/bin/env bash
# A change of a name makes the owner a member again: with Zod 4, `partial()` fills in what was left out.
#
# Library    zod 4.6.7 (`zod/v3` of the same package does not), valibot 1.5.0 for comparison
# Behaviour  The schema for a new user gives some fields a default, and the one for a PATCH is made of it with `partial()`: every field
#            may be missing, and a missing one means "leave it". So it was in Zod 3, and is in Valibot. In Zod 4 a missing field gets
#            its default, also with `.optional()` after it, so `{ name }` becomes a change of the role, the language and whether
#            mails are wanted, and each change of one field resets the others. The types say that the field may be undefined. A test
#            that changes a field and looks at that one passes. `unwrap` of each default, or a schema without them, helps.
# Source     zod.dev/v4/changelog (defaults applied within optional fields; `partial` is not named), github.com/colinhacks/zod issues 5235
#            and 6627, and the output below, seen on Node 20.20.2 on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund zod@4.6.7 valibot@1.5.0
cat >try.mjs <<'JS'
import * as v from 'valibot';
import { z as z4 } from 'zod';
import { z as z3 } from 'zod/v3';

const byZod = (z) => {
  const user = z.object({ name: z.string(), role: z.string().default('member'), mails: z.boolean().default(true) });
  return (body) => user.partial().parse(body);
};
const user = v.object({ name: v.string(), role: v.optional(v.string(), 'member'), mails: v.optional(v.boolean(), true) });
const parsers = { 'zod 4': byZod(z4), 'zod 3': byZod(z3), valibot: (body) => v.parse(v.partial(user), body) };

const stored = { name: 'Ada', role: 'owner', mails: false };
for (const [name, parse] of Object.entries(parsers)) console.log(`${name}:`, JSON.stringify({ ...stored, ...parse({ name: 'Ada King' }) }));
JS
diff - <(node try.mjs) <<'SEEN'
zod 4: {"name":"Ada King","role":"member","mails":true}
zod 3: {"name":"Ada King","role":"owner","mails":false}
valibot: {"name":"Ada King","role":"owner","mails":false}
SEEN
echo 'as described'
