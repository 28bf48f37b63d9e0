import type { Knex } from 'knex';

/** Adds the request and the response of each attempt, as JSON. Attempts of an older release have neither. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE attempts ADD COLUMN request text, ADD COLUMN response text');
}
