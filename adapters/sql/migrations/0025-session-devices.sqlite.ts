import type { Knex } from 'knex';

/** Adds the browser and the system of each session. An older release can keep running: its sessions have none. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE sessions ADD COLUMN device TEXT');
}
