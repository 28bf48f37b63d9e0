#!/usr/bin/env bash
# A list that Miller turns into JSON cannot be read as JSON if somebody's badge is 0x1F, or half an hour is written as .5.
#
# Tool       miller 6.6.0-2+b3 of Debian 12 (`mlr`)
# Behaviour  From CSV everything that looks like a number to Miller becomes one, and to keep what was written it goes into the JSON
#            as it stands: `0x1F`, `0b11`, `.5`, `5.`. JSON has none of these, so one card of a list of thousands makes the whole
#            file, or with `--ojsonl` its line, unreadable for every reader of JSON; mlr ends with 0. The other codes of the
#            column are texts or numbers as they happen to look: 1F a text, 12 a number. `mlr -S` writes all as texts.
# Source     RFC 8259 section 6, and the output below, seen on 2026-11-30 (read with Node 20.20.2). Wants `apt-get update` first.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root miller=6.6.0-2+b3
dpkg-deb -x miller_*.deb .
cat >list.csv <<'CSV'
badge,hours
12,8
1F,0.5
0x1F,8
0b11,8
007,.5
008,5.
CSV
cat >read.mjs <<'JS'
import { readFileSync } from 'node:fs';

for (const line of readFileSync(0, 'utf8').trim().split('\n')) {
  try {
    console.log(line, JSON.stringify(Object.values(JSON.parse(line)).map((value) => typeof value)));
  } catch (error) {
    console.log(line, error.name);
  }
}
JS
seen() {
  for option in '' -S; do
    echo "mlr${option:+ $option}"
    usr/bin/mlr $option --icsv --ojsonl cat list.csv | node read.mjs
  done
}
diff - <(seen) <<'SEEN'
mlr
{"badge": 12, "hours": 8} ["number","number"]
{"badge": "1F", "hours": 0.5} ["string","number"]
{"badge": 0x1F, "hours": 8} SyntaxError
{"badge": 0b11, "hours": 8} SyntaxError
{"badge": "007", "hours": .5} SyntaxError
{"badge": "008", "hours": 5.} SyntaxError
mlr -S
{"badge": "12", "hours": "8"} ["string","string"]
{"badge": "1F", "hours": "0.5"} ["string","string"]
{"badge": "0x1F", "hours": "8"} ["string","string"]
{"badge": "0b11", "hours": "8"} ["string","string"]
{"badge": "007", "hours": ".5"} ["string","string"]
{"badge": "008", "hours": "5."} ["string","string"]
SEEN
echo 'as described'
