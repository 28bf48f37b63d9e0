#!/usr/bin/env bash
# Asked for who is neither Ada nor Bob, SCIMMY finds everybody, Ada and Bob among them.
#
# Library    scimmy 1.3.5 (`Filter`, which its handlers get for `?filter=`); right: scim2-parse-filter 0.2.10
# Behaviour  `not (a or b)` is to find who has neither, `not (a and b)` who has not both. SCIMMY moves the `not` to each part and keeps
#            the word between them. So the first finds who lacks one of the two, which is everybody where the parts are two names,
#            and the second who lacks both: a list of people to be asked for the rest of their profile leaves out those who lack
#            one thing. The filter is understood as given, no error is raised, and a `not` around one condition is right, as are
#            `ne` conditions joined by `and`. A program that removes who is not on its list of two removes these two as well.
# Source     RFC 7644 section 3.4.2.2 (grouping and not), and the output below, seen on Node 20.20.2 on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund scimmy@1.3.5 scim2-parse-filter@0.2.10
cat >try.mjs <<'JS'
import { filter, parse } from 'scim2-parse-filter';
import scimmy from 'scimmy';

const members = [
  { userName: 'Ada', title: 'Host', nickName: 'Ada' },
  { userName: 'Bob', title: 'Guest' },
  { userName: 'Cyd' },
];
for (const asked of [
  'not (userName eq "Ada")',
  'userName ne "Ada" and userName ne "Bob"',
  'not (userName eq "Ada" or userName eq "Bob")',
  'not (title pr and nickName pr)',
]) {
  const names = (found) => found.map((one) => one.userName).join(' ');
  const byScimmy = names(new scimmy.Types.Filter(asked).match(members));
  console.log(`${asked}: scimmy ${byScimmy}; scim2-parse-filter ${names(members.filter(filter(parse(asked))))}`);
}
JS
diff - <(node try.mjs) <<'SEEN'
not (userName eq "Ada"): scimmy Bob Cyd; scim2-parse-filter Bob Cyd
userName ne "Ada" and userName ne "Bob": scimmy Cyd; scim2-parse-filter Cyd
not (userName eq "Ada" or userName eq "Bob"): scimmy Ada Bob Cyd; scim2-parse-filter Cyd
not (title pr and nickName pr): scimmy Cyd; scim2-parse-filter Bob Cyd
SEEN
echo 'as described'
