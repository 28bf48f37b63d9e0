#!/usr/bin/env bash
# A second `where` of a dynamic Drizzle query takes the place of the first: what was to be one organization's rows is everybody's.
#
# Library    drizzle-orm 0.45.4; kysely 0.28.19 and knex 3.3.0 join the two; on PostgreSQL of @electric-sql/pglite 0.5.14
# Behaviour  A query that is built in steps gets the organization first and a filter of the page later. Drizzle's types allow one
#            `where`, until `$dynamic()` lifts that, for functions that add to a query that they are given. From then on each
#            `where` replaces the one before, without a word, for select, update and delete: the deletion of one organization's
#            inactive members removes the inactive members of all. A test with one organization, or whose filter is empty, passes.
#            Other query builders take both. Collecting the conditions in a list and one `where(and(...list))` helps.
# Source     orm.drizzle.team/docs/dynamic-query-building (nothing on what a second call does), github.com/drizzle-team/drizzle-orm
#            issues 1644 and 2321, and the output below, seen on Node 20.20.2 on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund drizzle-orm@0.45.4 kysely@0.28.19 knex@3.3.0 @electric-sql/pglite@0.5.14
cat >try.mjs <<'JS'
import { PGlite } from '@electric-sql/pglite';
import { eq } from 'drizzle-orm';
import { boolean, pgTable, text } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pglite';
import createKnex from 'knex';
import { DummyDriver, Kysely, PostgresAdapter, PostgresQueryCompiler } from 'kysely';

const database = await PGlite.create();
await database.exec('create table member (name text, organization text, active boolean)');
const table = pgTable('member', { name: text(), organization: text(), active: boolean() });
const kysely = new Kysely({ dialect: {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: () => undefined,
  createQueryCompiler: () => new PostgresQueryCompiler(),
} });
const knex = createKnex({ client: 'pg' });

const statements = {
  drizzle: drizzle(database).delete(table).$dynamic().where(eq(table.organization, 'chess')).where(eq(table.active, false)).toSQL(),
  kysely: kysely.deleteFrom('member').where('organization', '=', 'chess').where('active', '=', false).compile(),
  knex: knex('member').where('organization', 'chess').where('active', false).delete().toSQL().toNative(),
};
for (const [name, { sql, params, parameters, bindings }] of Object.entries(statements)) {
  await database.exec(`delete from member; insert into member values
    ('Ada', 'chess', true), ('Bob', 'chess', false), ('Cyd', 'choir', true), ('Dee', 'choir', false)`);
  await database.query(sql, params ?? parameters ?? bindings);
  const { rows } = await database.query('select name from member order by name');
  console.log(`${name}: ${sql.slice(sql.indexOf('where'))}; left: ${rows.map((row) => row.name).join(' ')}`);
}
JS
diff - <(node try.mjs) <<'SEEN'
drizzle: where "member"."active" = $1; left: Ada Cyd
kysely: where "organization" = $1 and "active" = $2; left: Ada Cyd Dee
knex: where "organization" = $1 and "active" = $2; left: Ada Cyd Dee
SEEN
echo 'as described'
