import type { Knex } from 'knex';

/** One row once the file is served: which deployment it is, and how often deliveries were claimed in it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('CREATE TABLE deployment (id TEXT PRIMARY KEY, claims INTEGER NOT NULL) STRICT');
}
