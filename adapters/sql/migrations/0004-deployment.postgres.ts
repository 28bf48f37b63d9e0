import type { Knex } from 'knex';

/** One row once the database is served: the place of the database, and the transaction that wrote the row. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('CREATE TABLE deployment (place text PRIMARY KEY, written_in text NOT NULL)');
}
