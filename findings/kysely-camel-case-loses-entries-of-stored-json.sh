#!/usr/bin/env bash
# Names of columns in camel case: with Kysely's plugin for it, an entry of stored JSON is lost at reading, and for good at saving.
#
# Library    kysely 0.28.19 with `CamelCasePlugin` and pg 8.23.1, on PostgreSQL of @electric-sql/pglite 0.5.14
# Behaviour  The plugin is for the names of tables and columns: `user_name` in the database, `userName` in the program. It goes on into
#            the values: keys of objects in json and jsonb columns are changed as well, at any depth, though these are data, such as
#            a count for each room. `room_1` and `room1` become one entry with one of the two counts, `2026_12` becomes 202612. At
#            writing the keys are left alone, so what was read, changed and saved is stored under other keys: a lookup in SQL by the
#            old key finds nothing. On SQLite, whose JSON is text, nothing happens, so tests there pass.
#            `maintainNestedObjectKeys: true` helps, but changes the names in jsonArrayFrom, too.
# Source     kysely-org.github.io/kysely-apidoc (CamelCasePluginOptions), github.com/kysely-org/kysely/issues/281, and the output
#            below, seen on Node 20.20.2 on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund kysely@0.28.19 pg@8.23.1 @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17
cat >try.mjs <<'JS'
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';

const lite = await PGlite.create();
const server = new PGLiteSocketServer({ db: lite, path: `${process.cwd()}/.s.PGSQL.5432` });
await server.start();
const pool = new pg.Pool({ host: process.cwd(), user: 'postgres', database: 'postgres', max: 1 });
const database = new Kysely({ dialect: new PostgresDialect({ pool }), plugins: [new CamelCasePlugin()] });

await database.schema.createTable('meeting').addColumn('seatsByRoom', 'jsonb').execute();
const stored = async () => (await lite.query('select seats_by_room::text as text from meeting')).rows[0].text;
const seats = { room_1: 30, room1: 12, '2026_12': 5 };
await database.insertInto('meeting').values({ seatsByRoom: JSON.stringify(seats) }).execute();
console.log('stored:', await stored());
const read = await database.selectFrom('meeting').select('seatsByRoom').executeTakeFirst();
console.log('read:', JSON.stringify(read));
await database.updateTable('meeting').set({ seatsByRoom: JSON.stringify(read.seatsByRoom) }).execute();
console.log('stored again:', await stored());
process.exit();
JS
diff - <(node try.mjs) <<'SEEN'
stored: {"room1": 12, "room_1": 30, "2026_12": 5}
read: {"seatsByRoom":{"202612":5,"room1":30}}
stored again: {"room1": 30, "202612": 5}
SEEN
echo 'as described'
