import type { Knex } from 'knex';
import { up as schema } from './0001-schema.js';

interface Migration {
  readonly name: string;
  readonly up: (knex: Knex) => Promise<void>;
}

/** In order. A released one is never edited: what is wrong with it is put right by the next. */
const migrations: readonly Migration[] = [{ name: '0001-schema', up: schema }];

export const migrationNames: readonly string[] = migrations.map(({ name }) => name);

export const migrationSource: Knex.MigrationSource<Migration> = {
  getMigrations: async () => [...migrations],
  getMigrationName: ({ name }) => name,
  getMigration: async ({ up }) => ({ up, down: refuse }),
};

async function refuse(): Promise<void> {
  throw new Error('migrations go forward only');
}
