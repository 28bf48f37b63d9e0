#!/usr/bin/env bash
# A directory replaces somebody's address; SCIMMY keeps the old one and adds the new, if the patch has no path.
#
# Library    scimmy 1.3.5, a SCIM 2.0 library for servers, with its own schema of a user
# Behaviour  `{"op":"replace","path":"emails","value":[…]}` replaces the list. The form without a path, `{"op":"replace","value":
#            {"emails":[…]}}`, which directories send as well, means the same (RFC 7644), and does so here for a single value like
#            `displayName`. But to a list it adds: the address that was taken away stays, and mail still goes there. A directory
#            that sends it again at each synchronisation makes the list longer each time. A server is also told to turn `primary`
#            off in the other values where a new one has it; here both have it after either form of adding, and whoever looks for
#            the primary one finds the old one first. The answers are 200.
# Source     RFC 7644 section 3.5.2 (primary) and 3.5.2.3 (replace), and the output below, seen on Node 20.20.2 on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund scimmy@1.3.5
cat >try.mjs <<'JS'
import SCIMMY from 'scimmy';

const user = () => new SCIMMY.Schemas.User({
  id: '1',
  userName: 'ada@example.test',
  displayName: 'Ada',
  emails: [{ type: 'work', value: 'old@example.test', primary: true }],
});
const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
const emails = [{ type: 'work', value: 'new@example.test', primary: true }];

async function patched(...Operations) {
  const { displayName, emails } = await new SCIMMY.Messages.PatchOp({ schemas, Operations }).apply(user(), (changed) => changed);
  return `${displayName}, ${emails.map(({ value, primary }) => value + (primary ? ' (primary)' : '')).join(', ')}`;
}

console.log('with a path:   ', await patched({ op: 'replace', path: 'emails', value: emails }));
console.log('without a path:', await patched({ op: 'replace', value: { displayName: 'Ada L.', emails } }));
console.log('twice:         ', await patched({ op: 'replace', value: { emails } }, { op: 'replace', value: { emails } }));
console.log('add:           ', await patched({ op: 'add', path: 'emails', value: emails }));
JS
diff - <(node try.mjs) <<'SEEN'
with a path:    Ada, new@example.test (primary)
without a path: Ada L., old@example.test (primary), new@example.test (primary)
twice:          Ada, old@example.test (primary), new@example.test (primary), new@example.test (primary)
add:            Ada, old@example.test (primary), new@example.test (primary)
SEEN
echo 'as described'
