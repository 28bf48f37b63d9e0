#!/usr/bin/env bash
# A test on PGlite counts 1 + 1 = 2, and the same code on PostgreSQL counts 11: they hand out the same value as another type.
#
# Library    @electric-sql/pglite 0.5.14, beside pg 8.23.1 on the very same database (through @electric-sql/pglite-socket 0.2.17)
# Behaviour  PGlite is PostgreSQL, so one takes it for tests and pg for production, and expects the same rows. `count(*)`, sums of
#            integers and other int8 are numbers from PGlite and text from pg. Code that adds to them or compares with === is right
#            in every test and wrong in production. From 2^53 on PGlite gives a BigInt instead, so JSON.stringify, which never
#            failed, throws with the first large value. A `date` is midnight in UTC from PGlite and local midnight from pg, so its
#            day in JSON is right in the test and the day before on a server in Berlin. An interval is text from one and an object
#            from the other. Casts in the statement (`count(*)::int`, `day::text`) give both the same.
# Source     pglite.dev/docs/api (parsers), node-postgres.com/features/types, and the output below, seen on Node 20.20.2 on
#            2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund pg@8.23.1 @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17
cat >try.mjs <<'JS'
import { inspect } from 'node:util';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import pg from 'pg';

const lite = await PGlite.create();
const server = new PGLiteSocketServer({ db: lite, path: `${process.cwd()}/.s.PGSQL.5432` });
await server.start();
const client = new pg.Client({ host: process.cwd(), user: 'postgres', database: 'postgres' });
await client.connect();
const statement = `select count(*) as members, 9007199254740993 as id, date '2026-12-01' as day, interval '90 min' as length`;
for (const [name, database] of [['PGlite', lite], ['pg', client]]) {
  const [row] = (await database.query(statement)).rows;
  console.log(name, 'with one more:', row.members + 1);
  for (const [column, value] of Object.entries(row)) console.log(`  ${column}:`, inspect(value, { compact: true }));
}
process.exit();
JS
diff - <(TZ=Europe/Berlin node try.mjs) <<'SEEN'
PGlite with one more: 2
  members: 1
  id: 9007199254740993n
  day: 2026-12-01T00:00:00.000Z
  length: '01:30:00'
pg with one more: 11
  members: '1'
  id: '9007199254740993'
  day: 2026-11-30T23:00:00.000Z
  length: PostgresInterval { hours: 1, minutes: 30 }
SEEN
echo 'as described'
