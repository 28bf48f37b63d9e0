import type { Knex } from 'knex';

/** One row once the file is served: the id of the deployment, and how often deliveries were claimed in it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('CREATE TABLE deployment (id TEXT PRIMARY KEY, claims INTEGER NOT NULL) STRICT');
}
