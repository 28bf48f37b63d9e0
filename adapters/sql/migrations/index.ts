import type { Knex } from 'knex';
import { schemaOf } from './0001-baseline.js';
import { apiCalls } from './0002-api-calls.js';
import { change, index, type Step } from './steps.js';

export interface Migration {
  readonly name: string;
  /** Statements that run in one transaction, together with those of the other pending migrations. */
  readonly sqlite: string;
  /** A database without a schema gets all steps in one transaction. On one in use, each step is committed on its own. */
  readonly postgres: readonly Step[];
}

/** Every database has it: the schema of the first release. */
export const BASELINE = '0001-baseline';

/** The pending invitations that will expire. There is never one for long that has expired. */
const expiring = `invitations (organization_id, expires_at)
  WHERE expires_at IS NOT NULL AND accepted_at IS NULL AND revoked_at IS NULL`;

/** Events are undelivered until someone resends or dismisses them: the pages of an organization count its own. */
const failed = `deliveries (organization_id, created_at) WHERE state = 'failed' AND finished_at IS NOT NULL`;

/** All migrations, in order. Never change a released one: the next migration fixes its mistakes. */
export const migrations: readonly Migration[] = [
  { name: BASELINE, sqlite: schemaOf('sqlite'), postgres: [change(schemaOf('postgres'))] },
  apiCalls,
  {
    name: '0003-invited-role',
    sqlite: `
ALTER TABLE invitations ADD COLUMN role TEXT NOT NULL DEFAULT 'member';
ALTER TABLE invitations ADD COLUMN expires_at TEXT;
CREATE INDEX expiring_invitations ON ${expiring};
-- When the user last signed in with the password.
ALTER TABLE users ADD COLUMN signed_in_at TEXT;`,
    postgres: [
      change(
        `ALTER TABLE invitations ADD COLUMN role text NOT NULL DEFAULT 'member', ADD COLUMN expires_at timestamptz`,
      ),
      change('ALTER TABLE users ADD COLUMN signed_in_at timestamptz'),
      index('expiring_invitations', expiring),
    ],
  },
  {
    name: '0004-failed-by-organization',
    sqlite: `CREATE INDEX failed_by_organization ON ${failed};`,
    postgres: [index('failed_by_organization', failed)],
  },
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
