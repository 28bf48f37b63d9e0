import type { Knex } from 'knex';
import { schemaOf } from './0001-baseline.js';
import { apiCalls } from './0002-api-calls.js';
import { invitedRole } from './0003-invited-role.js';
import { failedByOrganization } from './0004-failed-by-organization.js';
import { offeredUntil } from './0005-offered-until.js';
import { signOn } from './0006-sign-on.js';
import { directory } from './0007-directory.js';
import { setupLinks } from './0008-setup-links.js';
import { secondFactor } from './0009-second-factor.js';
import { historyCuts } from './0010-history-cuts.js';
import { apiCallTexts } from './0011-api-call-texts.js';
import { change, type Migration } from './steps.js';

export type { Migration };

/** Every database has it: the schema of the first release. */
export const BASELINE = '0001-baseline';

/** All migrations, in order. Never change a released one: the next migration fixes its mistakes. */
export const migrations: readonly Migration[] = [
  { name: BASELINE, sqlite: schemaOf('sqlite'), postgres: [change(schemaOf('postgres'))] },
  apiCalls,
  invitedRole,
  failedByOrganization,
  offeredUntil,
  signOn,
  directory,
  setupLinks,
  secondFactor,
  historyCuts,
  apiCallTexts,
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
