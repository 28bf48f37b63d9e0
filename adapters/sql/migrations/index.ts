import type { Knex } from 'knex';
import { schemaOf } from './0001-baseline.js';
import { sinceBaseline } from './since-baseline.js';
import { change, type Migration } from './steps.js';

export type { Migration };

/** Every database has it: the schema of the first release. */
export const BASELINE = '0001-baseline';

/** All migrations, in order. Never change a released one: the next migration fixes its mistakes. */
export const migrations: readonly Migration[] = [
  { name: BASELINE, sqlite: schemaOf('sqlite'), postgres: [change(schemaOf('postgres'))] },
  ...sinceBaseline,
];

export const migrationNames: readonly string[] = migrations.map(({ name }) => name);

/** How knex applies them. `up` makes the changes of one migration in the transaction that it is given. */
export function migrationSource(
  known: readonly Migration[],
  up: (knex: Knex, migration: Migration) => Promise<void>,
): Knex.MigrationSource<Migration> {
  return {
    getMigrations: async () => [...known],
    getMigrationName: ({ name }) => name,
    getMigration: async (migration) => ({ up: (knex: Knex) => up(knex, migration), down: refuse }),
  };
}

async function refuse(): Promise<void> {
  throw new Error('migrations go forward only');
}
