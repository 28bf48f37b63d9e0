import type { Bulk } from '../engine/database.js';
import { raw } from '../engine/sql-text.js';
import { execute, exists, lock, selectOne } from '../engine/statements.js';
import { DatasetError } from './dataset.js';
import { MAX_PLATFORM_NUMBER } from './platform-numbers.js';
import { columnTypes } from './staged-kinds.js';

// These functions find the account of each user in a dataset. A dataset uses the platform's numbers. The staged records
// are changed to the numbers of the rows, so that later steps need not know the difference. If every user has the
// platform's number, as after imports only, two look-ups are enough.

/** The staged columns that refer to a user, and the other columns in the key of such a row. */
const userColumns = [
  { table: 'staged_users', column: 'id', others: [] },
  { table: 'staged_memberships', column: 'user_id', others: ['organization_id'] },
  { table: 'staged_registrations', column: 'user_id', others: ['meeting_id'] },
  { table: 'staged_waitlist_entries', column: 'user_id', others: ['meeting_id'] },
  // The same people as in `staged_memberships`.
  { table: 'staged_registrants', column: 'user_id', others: null },
  { table: 'staged_meetings', column: 'group_leader_id', others: null },
] as const;

/** Greater than every number, so that a number moved by it can't equal one that is not moved yet. */
const ASIDE = 100_000_000_000_000_000n;

/** The rows have changed since the dataset was checked. */
export class Outdated extends Error {}

/** Creates the tables for numbers and UUIDs, in the transaction that creates the staging tables. */
export async function createPeopleStaging(bulk: Bulk): Promise<void> {
  const { whole, uuid } = columnTypes[bulk.engine];
  // The platform's number and the number of the row.
  for (const table of ['renumbered', 'linked'])
    await bulk.run(`CREATE TEMP TABLE ${table} (platform_id ${whole} PRIMARY KEY, id ${whole} UNIQUE)`);
  // UUIDs that an organization received for users who already had an account.
  await bulk.run(`CREATE TEMP TABLE told_uuids (uuid ${uuid} PRIMARY KEY, user_id ${whole})`);
}

/**
 * Changes the staged records to the current numbers of the rows. Throws `DatasetError` when a dataset refers to one
 * person by two numbers.
 */
export async function findPeople(bulk: Bulk): Promise<void> {
  await restoreNumbers(bulk);
  await bulk.run(
    'INSERT INTO renumbered (platform_id, id) SELECT platform_id, user_id FROM platform_numbers',
  );
  await link(bulk);
  if (await exists(bulk)`FROM renumbered LIMIT 1`) {
    await refuseDuplicates(bulk);
    await renumber(bulk);
  }
  if (!(await exists(bulk)`FROM told_uuids LIMIT 1`)) return;
  await execute(bulk)`UPDATE staged_users
    SET uuid = (SELECT uuid FROM users WHERE users.id = staged_users.id)
    WHERE EXISTS (
      SELECT 1 FROM told_uuids AS told WHERE told.user_id = staged_users.id AND told.uuid = staged_users.uuid
    )`;
}

async function restoreNumbers(bulk: Bulk): Promise<void> {
  if (await exists(bulk)`FROM renumbered LIMIT 1`) {
    await renumber(bulk, { from: 'id', to: 'platform_id' });
  }
  for (const table of ['renumbered', 'linked', 'told_uuids']) await bulk.run(`DELETE FROM ${table}`);
}

/** Links a user with an unknown number to the account that was created here with the same UUID. */
async function link(bulk: Bulk): Promise<void> {
  await execute(bulk)`INSERT INTO told_uuids (uuid, user_id)
    SELECT memberships.uuid, memberships.user_id
    FROM invitations
    JOIN memberships ON memberships.organization_id = invitations.organization_id
      AND memberships.uuid = invitations.user_uuid
    JOIN users ON users.id = memberships.user_id
    WHERE invitations.accepted_at IS NOT NULL AND memberships.uuid <> users.uuid
    ON CONFLICT DO NOTHING`;
  const sources = [];
  if (await exists(bulk)`FROM told_uuids LIMIT 1`)
    sources.push('told_uuids AS known ON known.uuid = staged.uuid JOIN users ON users.id = known.user_id');
  if (await exists(bulk)`FROM users WHERE id > ${raw(MAX_PLATFORM_NUMBER)} LIMIT 1`)
    sources.push('users ON users.uuid = staged.uuid');
  for (const source of sources) {
    await execute(bulk)`INSERT INTO linked (platform_id, id)
      SELECT staged.id, users.id FROM staged_users AS staged JOIN ${raw(source)}
      WHERE NOT staged.deleted AND staged.id <= ${raw(MAX_PLATFORM_NUMBER)}
        AND users.id > ${raw(MAX_PLATFORM_NUMBER)}
        AND NOT EXISTS (SELECT 1 FROM platform_numbers AS own WHERE own.user_id = users.id)
        AND NOT EXISTS (SELECT 1 FROM platform_numbers AS taken WHERE taken.platform_id = staged.id)
        AND NOT EXISTS (SELECT 1 FROM users AS same WHERE same.id = staged.id)
      ON CONFLICT DO NOTHING`;
  }
  await bulk.run('INSERT INTO renumbered (platform_id, id) SELECT platform_id, id FROM linked');
}

/** Throws for a person with two numbers, because it is not known which of the records counts. */
async function refuseDuplicates(bulk: Bulk): Promise<void> {
  for (const { table, column, others } of userColumns) {
    if (others === null) continue;
    const found = await selectOne<{ line: number; platform_id: number; id: number }>(bulk)`
      SELECT CASE WHEN own.line > staged.line THEN own.line ELSE staged.line END AS line,
        renumbered.platform_id, renumbered.id
      FROM renumbered JOIN ${raw(table)} AS staged ON staged.${raw(column)} = renumbered.platform_id
      JOIN ${raw(table)} AS own ON own.${raw(column)} = renumbered.id
        ${raw(others.map((other) => `AND own.${other} = staged.${other}`).join(' '))}
      WHERE renumbered.id <> renumbered.platform_id
        AND NOT EXISTS (SELECT 1 FROM renumbered AS moved WHERE moved.platform_id = own.${raw(column)})
      ORDER BY 1 LIMIT 1`;
    if (found === undefined) continue;
    const { line, platform_id, id } = found;
    throw new DatasetError(
      { line, field: column },
      `users ${id} and ${platform_id} are one person: use one of the numbers`,
    );
  }
}

/** Works in two steps, so that a user who takes the number of another one never collides with it. */
async function renumber(bulk: Bulk, { from, to } = { from: 'platform_id', to: 'id' }): Promise<void> {
  for (const { table, column } of userColumns) {
    const { changes } = await bulk.run(
      `UPDATE ${table} SET ${column} = ${ASIDE} + (SELECT ${to} FROM renumbered WHERE ${from} = ${table}.${column})
      WHERE ${column} IN (SELECT ${from} FROM renumbered)`,
    );
    if (changes === 0) continue;
    await bulk.run(`UPDATE ${table} SET ${column} = ${column} - ${ASIDE} WHERE ${column} > ${ASIDE / 2n}`);
  }
}

// ── Applying the dataset ───────────────────────────────────────────────────────────────────────────────────

/** Locks the accounts. Throws `Outdated` when accounts have changed since `findPeople`. */
export async function lockPeople(bulk: Bulk): Promise<void> {
  await lock(bulk)`SELECT 1 FROM users JOIN staged_users AS staged ON staged.id = users.id
    WHERE staged.email <> users.email AND NOT staged.deleted ORDER BY users.id FOR UPDATE OF users`;
  const hasChanged = await exists(bulk)`FROM platform_numbers AS own
    LEFT JOIN renumbered ON renumbered.platform_id = own.platform_id
    WHERE renumbered.id IS DISTINCT FROM own.user_id LIMIT 1`;
  if (hasChanged) throw new Outdated('numbers have changed hands');
  if (await changesIdentity(bulk)) throw new Outdated('an account has changed');
}

/** Stores the platform's numbers of the linked users. Call it after the users are stored. */
export async function storeNumbers(bulk: Bulk): Promise<void> {
  await bulk.run('INSERT INTO platform_numbers (user_id, platform_id) SELECT id, platform_id FROM linked');
}

// ── Refused changes ────────────────────────────────────────────────────────────────────────────────────────

/** The identity in a row, and the different one in a record (`said_`). */
export interface Identities {
  readonly line: number;
  readonly id: number;
  readonly platform_id: number | null;
  readonly email: string;
  readonly uuid: string;
  readonly said_email: string;
  readonly said_uuid: string;
}

const offending = (condition: string): string =>
  `SELECT staged.line, users.id, own.platform_id, users.email, users.uuid,
    staged.email AS said_email, staged.uuid AS said_uuid
  FROM staged_users AS staged CROSS JOIN users ON users.id = +staged.id
  LEFT JOIN platform_numbers AS own ON own.user_id = users.id
  WHERE NOT staged.deleted AND ${condition}`;

const OTHER_UUID = 'users.uuid <> staged.uuid';
const OTHER_ADDRESS =
  'users.email <> staged.email AND users.password_hash IS NOT NULL AND users.uuid = staged.uuid';

/** Whether any of `identityChecks` finds something, in one pass over all records. */
export async function changesIdentity(bulk: Bulk): Promise<boolean> {
  const found = await bulk.get(`${offending(`(${OTHER_UUID} OR ${OTHER_ADDRESS})`)} LIMIT 1`);
  return found !== undefined;
}

/** Quotes a word for a shell. An address may contain characters that a shell interprets. */
function shellWord(text: string): string {
  return /^[\w.@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** An import never gives an account to another person. */
export const identityChecks = [
  {
    table: 'users',
    field: 'uuid',
    text: offending(OTHER_UUID),
    message: ({ id, platform_id, email, uuid, said_email, said_uuid }: Identities) =>
      `user ${platform_id ?? id} is ${email} (UUID ${uuid}), but this record is for ${said_email} (UUID ${said_uuid}): ` +
      'an import never gives an account to another person. If the platform reassigned the number, first remove user ' +
      `${platform_id ?? id} in an import of its own`,
  },
  {
    table: 'users',
    field: 'email',
    text: offending(OTHER_ADDRESS),
    message: ({ id, platform_id, email, said_email }: Identities) =>
      `user ${platform_id ?? id} signs in as ${email} with a password, but this record says ${said_email}: ` +
      'an import never changes the address of a person who has a password. To change it, run: ' +
      `rollcall user set-email --email ${shellWord(email)} --to ${shellWord(said_email)}`,
  },
] as const;
