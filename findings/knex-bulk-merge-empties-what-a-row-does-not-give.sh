#!/usr/bin/env bash
# Several rows merged by knex in one call empty each other's columns; the same rows, one by one, leave them alone.
#
# Library    knex 3.3.0 with better-sqlite3 13.2.0, on node 22.23.3 from the package `node`; the statement for PostgreSQL alike
# Behaviour  `insert(row).onConflict('email').merge()` changes what the row gives and keeps the rest. For a list, the columns are
#            those of all its rows together: a row that lacks one has NULL (PostgreSQL: the default) inserted there, and the merge
#            takes that over. A list with a new name for one person and a new phone number for another empties the phone number of
#            the first and the name of the second. Nothing is reported, and the same code with one row, as in most tests, is
#            right. Merging in groups of rows with the same keys helps; naming the columns in `merge([…])` does not.
# Source     knexjs.org/guide/query-builder.html (insert, onConflict, merge), and the output below, seen on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --engine-strict=false node@22.23.3 knex@3.3.0 better-sqlite3@13.2.0
cat >try.cjs <<'JS'
const knex = require('knex');

const changes = [{ email: 'ada@example.test', name: 'Ada Lovelace' }, { email: 'bob@example.test', phone: '222' }];

async function members(merge) {
  const database = knex({ client: 'better-sqlite3', connection: { filename: ':memory:' }, useNullAsDefault: true });
  await database.raw('create table member (email text primary key, name text, phone text)');
  const old = [{ email: 'ada@example.test', name: 'Ada', phone: '1' }, { email: 'bob@example.test', name: 'Bob', phone: '2' }];
  await database('member').insert(old);
  await merge(database);
  const rows = await database('member').select('name', 'phone').orderBy('email');
  await database.destroy();
  return rows.map(({ name, phone }) => `${name} ${phone}`).join(', ');
}

async function show() {
  const one = async (database) => {
    for (const change of changes) await database('member').insert(change).onConflict('email').merge();
  };
  console.log('one by one:', await members(one));
  console.log('in a list:', await members((database) => database('member').insert(changes).onConflict('email').merge()));
  const named = (database) => database('member').insert(changes).onConflict('email').merge(['name', 'phone']);
  console.log('in a list, with columns named:', await members(named));
  console.log(knex({ client: 'pg' })('member').insert(changes).onConflict('email').merge(['name', 'phone']).toString());
}
show();
JS
diff - <(node_modules/node/bin/node try.cjs) <<'SEEN'
one by one: Ada Lovelace 1, Bob 222
in a list: Ada Lovelace null, null 222
in a list, with columns named: Ada Lovelace null, null 222
insert into "member" ("email", "name", "phone") values ('ada@example.test', 'Ada Lovelace', DEFAULT), ('bob@example.test', DEFAULT, '222') on conflict ("email") do update set "name" = excluded."name", "phone" = excluded."phone"
SEEN
echo 'as described'
