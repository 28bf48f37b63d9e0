import type { Knex } from 'knex';

/** One row once the database is served: where it was, and the transaction that wrote the row there. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('CREATE TABLE deployment (place text PRIMARY KEY, written_in text NOT NULL)');
}
