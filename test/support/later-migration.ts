import { pathToFileURL } from 'node:url';
import knexPackage, { type Knex } from 'knex';
import type { MigrateOptions } from '#adapters/sql/engine/database.js';
import { type Migration, migrations } from '#adapters/sql/migrations/index.js';
import { batches, change, index } from '#adapters/sql/migrations/steps.js';
import { migratePostgres } from '#adapters/sql/postgres/migrate.js';
import { SqliteKnexClient } from '#adapters/sql/sqlite/knex-client.js';
import { migrateSqlite } from '#adapters/sql/sqlite/migrate.js';

// A CommonJS package without named exports at run time.
const { knex: createKnex } = knexPackage;

/** A made-up migration after the released ones, with a step of each kind. */
export const laterMigration: Migration = {
  name: '9999-later',
  sqlite: `
    ALTER TABLE deliveries ADD COLUMN note TEXT NOT NULL DEFAULT '';
    UPDATE deliveries SET note = 'earlier';
    CREATE TABLE notes (id INTEGER PRIMARY KEY) STRICT;
  `,
  postgres: [
    change(`ALTER TABLE deliveries ADD COLUMN note text NOT NULL DEFAULT ''`),
    index('deliveries_by_note', 'deliveries (organization_id, note)'),
    batches({
      table: 'deliveries',
      key: 'id',
      statements: (range) => [`UPDATE deliveries SET note = 'earlier' WHERE ${range('deliveries.id')}`],
    }),
    change('ALTER TABLE organizations ADD COLUMN note text', 'CREATE TABLE notes (id bigint PRIMARY KEY)'),
  ],
};

/** Migrates as a release with this migration would. Returns the names of the migrations that it ran. */
export function migrateLater(
  url: string,
  options: MigrateOptions = {},
  migration: Migration = laterMigration,
): Promise<readonly string[]> {
  const known = [...migrations, migration];
  return withKnex(url, (knex) =>
    url.startsWith('postgres')
      ? migratePostgres({ ...options, knex, isPooled: false, settings: 'SELECT 1' }, known)
      : migrateSqlite(knex, known),
  );
}

/** Connects to the database as another application with knex does. */
export async function withKnex<T>(url: string, work: (knex: Knex) => Promise<T>): Promise<T> {
  const config = url.startsWith('postgres')
    ? { client: 'pg', connection: url }
    : {
        client: SqliteKnexClient,
        connection: { filename: url.slice('sqlite:'.length) },
        useNullAsDefault: true,
      };
  const knex = createKnex({ ...config, log: { warn() {}, error() {} } } as Knex.Config);
  try {
    return await work(knex);
  } finally {
    await knex.destroy();
  }
}

// As a program, which a test can kill: `node test/dist/support/later-migration.js <URL>`.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await migrateLater(process.argv[2] ?? '');
