import type { Knex } from 'knex';
import type { Engine } from '../database.js';
import { up as schemaOfPostgres } from './0001-schema.postgres.js';
import { up as schemaOfSqlite } from './0001-schema.sqlite.js';
import { up as dashboardOfPostgres } from './0002-dashboard.postgres.js';
import { up as dashboardOfSqlite } from './0002-dashboard.sqlite.js';
import { up as deploymentOfPostgres } from './0004-deployment.postgres.js';
import { up as deploymentOfSqlite } from './0004-deployment.sqlite.js';
import { up as feedsOfPostgres } from './0005-feeds.postgres.js';
import { up as feedsOfSqlite } from './0005-feeds.sqlite.js';
import { up as tiedCountsOfPostgres } from './0006-tied-counts.postgres.js';
import { up as tiedCountsOfSqlite } from './0006-tied-counts.sqlite.js';
import { up as heldOfPostgres } from './0009-held.postgres.js';
import { up as heldOfSqlite } from './0009-held.sqlite.js';

interface Migration {
  readonly name: string;
  readonly up: Readonly<Record<Engine, (knex: Knex) => Promise<void>>>;
}

/** In order. A released one is never edited: what is wrong with it is put right by the next. */
const migrations: readonly Migration[] = [
  { name: '0001-schema', up: { sqlite: schemaOfSqlite, postgres: schemaOfPostgres } },
  { name: '0002-dashboard', up: { sqlite: dashboardOfSqlite, postgres: dashboardOfPostgres } },
  { name: '0004-deployment', up: { sqlite: deploymentOfSqlite, postgres: deploymentOfPostgres } },
  { name: '0005-feeds', up: { sqlite: feedsOfSqlite, postgres: feedsOfPostgres } },
  { name: '0006-tied-counts', up: { sqlite: tiedCountsOfSqlite, postgres: tiedCountsOfPostgres } },
  { name: '0009-held', up: { sqlite: heldOfSqlite, postgres: heldOfPostgres } },
];

export const migrationNames: readonly string[] = migrations.map(({ name }) => name);

export function migrationSource(engine: Engine): Knex.MigrationSource<Migration> {
  return {
    getMigrations: async () => [...migrations],
    getMigrationName: ({ name }) => name,
    getMigration: async ({ up }) => ({ up: up[engine], down: refuse }),
  };
}

async function refuse(): Promise<void> {
  throw new Error('migrations go forward only');
}
