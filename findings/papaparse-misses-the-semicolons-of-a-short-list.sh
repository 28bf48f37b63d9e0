#!/usr/bin/env bash
# Papa Parse finds out that a list is separated by semicolons or tabs, unless it has two columns and fewer than nine people.
#
# Library    papaparse 5.7.1
# Behaviour  The separator is guessed from the first ten lines, and one is taken if it gives 1.99 fields or more per line on
#            average. The end of the last line counts as a line with one field, so two columns with fewer than ten lines, the
#            first included, give less, and the comma is taken. The only key of each row is then `email;name`. If the names are
#            like `Lovelace, Ada`, each row is also cut at the comma. With nine people, with a third column, or without the
#            newline at the end, as in most tests, the same list is read right. `skipEmptyLines: true` helps.
# Source     papaparse.com/docs (delimiter, delimitersToGuess), and the output below, seen on Node 20.20.2 on 2026-11-28.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund papaparse@5.7.1
cat >try.mjs <<'JS'
import Papa from 'papaparse';

function read(what, people, end, options) {
  const rows = Array.from({ length: people }, (_, n) => `member${n + 1}@example.test;Lovelace, Ada`);
  const { data } = Papa.parse(`email;name\n${rows.join('\n')}${end}`, { header: true, ...options });
  console.log(`${what}:`, JSON.stringify(data[0]));
}

read('8 people', 8, '\n');
read('9 people', 9, '\n');
read('8 people, no newline at the end', 8, '');
read('8 people, empty lines skipped', 8, '\n', { skipEmptyLines: true });
JS
diff - <(node try.mjs) <<'SEEN'
8 people: {"email;name":"member1@example.test;Lovelace","__parsed_extra":[" Ada"]}
9 people: {"email":"member1@example.test","name":"Lovelace, Ada"}
8 people, no newline at the end: {"email":"member1@example.test","name":"Lovelace, Ada"}
8 people, empty lines skipped: {"email":"member1@example.test","name":"Lovelace, Ada"}
SEEN
echo 'as described'
