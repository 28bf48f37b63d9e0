import type { Knex } from 'knex';

/** Adds the request and the response of each attempt, as JSON. Attempts of an older release have neither. */
export async function up(knex: Knex): Promise<void> {
  for (const column of ['request', 'response'])
    await knex.raw(`ALTER TABLE attempts ADD COLUMN ${column} TEXT`);
}
