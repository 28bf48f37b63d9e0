#!/usr/bin/env bash
# A SCIM patch of `username` adds an attribute beside `userName`, and a switch-off by text leaves a value that counts as true.
#
# Library    scim-patch 0.8.3, which directories' calls (`PATCH /Users/…`) are applied with
# Behaviour  Names of attributes do not depend on upper and lower case (RFC 7643, 2.1), and clients differ. The library compares them
#            exactly: replacing `username` keeps `userName` and adds a second one, without an error. Replacing the value of
#            `emails[type eq "Work"]` leaves the address of type `work` and adds another, though these values do not depend on case
#            either. Some directories send booleans as text, such as "False" for `active`: the text is stored, and a test like
#            `if (user.active)` takes the person as active.
# Source     RFC 7643 sections 2.1 and 2.2, RFC 7644 section 3.5.2, and the output below, seen on Node 20.20.2 on 2026-11-28.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund scim-patch@0.8.3
cat >try.mjs <<'JS'
import { scimPatch } from 'scim-patch';

const user = () => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: 'ada@example.test',
  active: true,
  emails: [{ type: 'work', value: 'ada@example.test' }],
});

function patched(path, value) {
  const { userName, username, active, emails } = scimPatch(user(), [{ op: 'replace', path, value }]);
  return JSON.stringify({ userName, username, active, emails: emails.map((one) => `${one.type} ${one.value}`) });
}

console.log(patched('username', 'bea@example.test'));
console.log(patched('emails[type eq "Work"].value', 'bea@example.test'));
console.log(patched('active', 'False'));
JS
diff - <(node try.mjs) <<'SEEN'
{"userName":"ada@example.test","username":"bea@example.test","active":true,"emails":["work ada@example.test"]}
{"userName":"ada@example.test","active":true,"emails":["work ada@example.test","Work bea@example.test"]}
{"userName":"ada@example.test","active":"False","emails":["work ada@example.test"]}
SEEN
echo 'as described'
