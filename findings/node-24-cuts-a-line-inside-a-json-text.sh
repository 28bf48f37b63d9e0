#!/usr/bin/env bash
# From Node 24 on, a program that reads NDJSON line by line cuts a record in two where a text has U+2028.
#
# Runtime    node 22.23.3, 24.21.0 and 26.10.0, from the package `node`
# Behaviour  U+2028 (line separator) comes into titles and descriptions by pasting from documents and chats. JSON allows it in a
#            text, and JSON.stringify does not escape it, so it stands as it is in a line of NDJSON. `node:readline` ended lines at
#            \n, \r and \r\n; since Node 24 it also ends them at U+2028 and U+2029, and has no option for it. Both halves are
#            broken JSON: a strict reader stops, one that leaves out broken lines loses the record. Logs and CSV files get a line
#            too many. `filehandle.readLines()` is the same code. Splitting at '\n', or a writer that escapes the two, helps.
# Source     nodejs.org/api/readline.html (event 'line', which names \n, \r and \r\n), RFC 8259 section 7, and the output below,
#            seen on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >try.mjs <<'JS'
import { open, writeFile } from 'node:fs/promises';

const meetings = [{ name: 'Council' }, { name: 'Grief group\u2028online' }, { name: 'Walk' }];
await writeFile('meetings.ndjson', meetings.map((meeting) => `${JSON.stringify(meeting)}\n`).join(''));
const file = await open('meetings.ndjson');
const read = [];
let broken = 0;
for await (const line of file.readLines()) {
  try {
    read.push(JSON.parse(line).name.replace('\u2028', ' '));
  } catch {
    broken += 1;
  }
}
console.log(`node ${process.versions.node}: ${read.join(', ')}; ${broken} broken lines`);
JS
for version in 22.23.3 24.21.0 26.10.0; do
  npm install --silent --no-audit --no-fund --prefix "$version" "node@$version" >/dev/null
  "$version/node_modules/node/bin/node" try.mjs
done >seen.txt
diff - seen.txt <<'SEEN'
node 22.23.3: Council, Grief group online, Walk; 0 broken lines
node 24.21.0: Council, Walk; 2 broken lines
node 26.10.0: Council, Walk; 2 broken lines
SEEN
echo 'as described'
