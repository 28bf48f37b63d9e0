#!/usr/bin/env bash
# A whole number given for a text column of SQLite is stored as `1001.0`, by better-sqlite3 and by Node's own driver.
#
# Library    better-sqlite3 13.2.0 and node:sqlite, on node 22.23.3 from the package `node`
# Behaviour  Both bind each JavaScript number as a floating-point one. A numeric column turns it back into an integer, so nobody
#            notices; a text column (for a member's number, a postal code, a phone extension) turns it into text, and `1001`
#            becomes `1001.0`, also in a STRICT table. A search with the number finds it, a search with the text `1001`, a join
#            with an imported list and the person who reads the export do not. Parts of a statement change as well: `? / 2` does
#            not round, `'M' || ?` makes M1001.0, and a path of JSON does not accept it. The sqlite3 shell and drivers for
#            PostgreSQL store `1001`. A BigInt or a text helps.
# Source     sqlite.org/datatype3.html sections 3 and 3.4, the docs of better-sqlite3 (integer.md), and the output below, seen on
#            2026-11-28.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --engine-strict=false node@22.23.3 better-sqlite3@13.2.0
cat >try.cjs <<'JS'
const Better = require('better-sqlite3');
const { DatabaseSync } = require('node:sqlite');

for (const [name, database] of [['better-sqlite3', new Better(':memory:')], ['node:sqlite', new DatabaseSync(':memory:')]]) {
  database.exec('create table member (name text, number text, seats integer) strict');
  const insert = database.prepare('insert into member values (?, ?, ?)');
  insert.run('Ada', 1001, 3);
  insert.run('Bob', 1002n, 3n);
  const rows = database.prepare('select name, number, seats from member').all();
  console.log(name, rows.map((row) => Object.values(row).join(' ')).join(', '));
  const found = database.prepare('select count(*) as n from member where number = ?');
  console.log('  found by 1001:', found.get(1001).n, "by '1001':", found.get('1001').n);
  console.log(' ', Object.values(database.prepare("select 'M' || ? as card, ? / 2 as half").get(1001, 7)).join(' '));
}
JS
diff - <(node_modules/node/bin/node --no-warnings try.cjs) <<'SEEN'
better-sqlite3 Ada 1001.0 3, Bob 1002 3
  found by 1001: 1 by '1001': 0
  M1001.0 3.5
node:sqlite Ada 1001.0 3, Bob 1002 3
  found by 1001: 1 by '1001': 0
  M1001.0 3.5
SEEN
echo 'as described'
