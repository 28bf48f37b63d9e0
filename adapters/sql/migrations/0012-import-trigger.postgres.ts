import type { Knex } from 'knex';

/**
 * The triggers that correct the copies of a meeting's end do nothing when a transaction says that its rows have the
 * right ones. Replacing a function locks no table; disabling a trigger would.
 */
export async function up(knex: Knex): Promise<void> {
  for (const table of ['registrations', 'waitlist_entries']) {
    await knex.raw(`CREATE OR REPLACE FUNCTION ${table}_end_time() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF current_setting('rollcall.end_times_are_right', true) = 'on' THEN
          RETURN NEW;
        END IF;
        NEW.end_time := coalesce((SELECT end_time FROM meetings WHERE id = NEW.meeting_id), NEW.end_time);
        RETURN NEW;
      END $$`);
  }
}
