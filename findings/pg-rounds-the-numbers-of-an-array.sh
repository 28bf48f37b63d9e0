#!/usr/bin/env bash
# pg hands out a numeric as text, so that no digit is lost; in an array it rounds the same value to a floating-point number.
#
# Library    pg 8.23.1 (with pg-types 2.2.0), against the PostgreSQL of @electric-sql/pglite 0.5.14
# Behaviour  Sums, prices and balances are text in JavaScript, since pg does not trust a double with them. `array_agg(amount)` or a
#            column of type numeric[] gives doubles instead: 12345678901234567.89 becomes 12345678901234568, and 1.10 becomes 1.1.
#            int8[] stays text. An own parser for a type does not reach its arrays either: with one that leaves a `date` as text,
#            the usual remedy for days that slip, `array_agg(day)` still gives a Date at the server's midnight, which is the day
#            before in JSON wherever the server is east of Greenwich. Parsers for the types of the arrays (1231, 1182) help.
# Source     github.com/brianc/node-pg-types (README, which says why int8 is text), and the output below, seen on Node 20.20.2 on
#            2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund pg@8.23.1 pg-types@2.2.0 @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17
cat >try.mjs <<'JS'
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import pg from 'pg';

const server = new PGLiteSocketServer({ db: await PGlite.create(), host: '127.0.0.1', path: `${process.cwd()}/.s.PGSQL.5432` });
await server.start();
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);
const client = new pg.Client({ host: process.cwd(), user: 'postgres', database: 'postgres' });
await client.connect();
await client.query(`create table payment (amount numeric, member int8, day date)`);
await client.query(`insert into payment values (12345678901234567.89, 9007199254740993, '2026-12-01')`);
const { rows } = await client.query(`select amount, array_agg(amount) as amounts, member, array_agg(member) as members,
  day, array_agg(day) as days from payment group by amount, member, day`);
for (const [name, value] of Object.entries(rows[0])) console.log(name, JSON.stringify(value));
await client.end();
await server.stop();
process.exit();
JS
diff - <(TZ=Europe/Berlin node try.mjs) <<'SEEN'
amount "12345678901234567.89"
amounts [12345678901234568]
member "9007199254740993"
members ["9007199254740993"]
day "2026-12-01"
days ["2026-11-30T23:00:00.000Z"]
SEEN
echo 'as described'
