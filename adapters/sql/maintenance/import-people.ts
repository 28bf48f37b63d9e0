import type { Bulk, Engine } from '../engine/database.js';
import { DatasetError } from './dataset.js';
import { MAX_PLATFORM_NUMBER } from './platform-numbers.js';

/**
 * Which account a dataset's user is. Its number is the platform's; staged records are brought to the numbers of
 * the rows, so that what follows need not know of this. If every user has the platform's number, as after
 * imports alone, two look-ups are enough.
 *
 * A number that no row has yet, and that an account made here has, becomes a negative one until rows are written.
 */

/** The staged columns that name a user, and what else is in the key of such a row. */
const places = [
  { table: 'staged_users', column: 'id', field: 'id', others: [] },
  { table: 'staged_memberships', column: 'user_id', field: 'user_id', others: ['organization_id'] },
  { table: 'staged_registrations', column: 'user_id', field: 'user_id', others: ['meeting_id'] },
  { table: 'staged_waitlist_entries', column: 'user_id', field: 'user_id', others: ['meeting_id'] },
  { table: 'staged_meetings', column: 'group_leader_id', field: 'group_leader_id', others: null },
] as const;

/** Above every number; what is moved by it can't meet what is not moved yet. */
const ASIDE = 100_000_000_000_000_000n;

/** The rows were others when the dataset was checked. */
export class Outdated extends Error {}

const types: Record<Engine, { readonly whole: string; readonly uuid: string }> = {
  sqlite: { whole: 'INTEGER', uuid: 'TEXT' },
  postgres: { whole: 'bigint', uuid: 'uuid' },
};

/** Within the transaction that makes the staging tables. */
export async function makePeopleStaging(bulk: Bulk): Promise<void> {
  const { whole, uuid } = types[bulk.engine];
  // The platform's number and the one of the row.
  for (const table of ['renumbered', 'linked'])
    await bulk.run(`CREATE TEMP TABLE ${table} (platform_id ${whole} PRIMARY KEY, id ${whole} UNIQUE)`);
  // UUIDs that an organization received for users who already had an account.
  await bulk.run(`CREATE TEMP TABLE told_uuids (uuid ${uuid} PRIMARY KEY, user_id ${whole})`);
}

/**
 * Brings the staged records to the numbers of the rows, as they are now. Throws `DatasetError` where a dataset
 * names one person by two numbers.
 */
export async function findPeople(bulk: Bulk): Promise<void> {
  await forget(bulk);
  await bulk.run(
    `INSERT INTO renumbered (platform_id, id)
    SELECT platform_id, user_id FROM platform_numbers WHERE platform_id IS NOT NULL`,
  );
  await bulk.run(
    `INSERT INTO renumbered (platform_id, id)
    SELECT user_id, -user_id FROM platform_numbers
    WHERE user_id <= ${MAX_PLATFORM_NUMBER} AND (platform_id IS NULL OR platform_id <> user_id)
    ON CONFLICT DO NOTHING`,
  );
  await link(bulk);
  if ((await bulk.get('SELECT 1 FROM renumbered LIMIT 1')) !== undefined) {
    await refuseBoth(bulk);
    await renumber(bulk);
  }
  if ((await bulk.get('SELECT 1 FROM told_uuids LIMIT 1')) === undefined) return;
  await bulk.run(
    `UPDATE staged_users SET uuid = (SELECT uuid FROM users WHERE users.id = staged_users.id)
    WHERE EXISTS (
      SELECT 1 FROM told_uuids AS told WHERE told.user_id = staged_users.id AND told.uuid = staged_users.uuid
    )`,
  );
}

/** The numbers of the dataset again, where it was checked before. */
async function forget(bulk: Bulk): Promise<void> {
  if ((await bulk.get('SELECT 1 FROM renumbered LIMIT 1')) !== undefined) {
    await renumber(bulk, { from: 'id', to: 'platform_id' });
  }
  for (const table of ['renumbered', 'linked', 'told_uuids']) await bulk.run(`DELETE FROM ${table}`);
}

/** A user whom we have not known by this number, and whose UUID is that of an account made here, is that person. */
async function link(bulk: Bulk): Promise<void> {
  await bulk.run(
    `INSERT INTO told_uuids (uuid, user_id)
    SELECT memberships.uuid, memberships.user_id
    FROM invitations
    JOIN memberships ON memberships.organization_id = invitations.organization_id
      AND memberships.uuid = invitations.user_uuid
    JOIN users ON users.id = memberships.user_id
    WHERE invitations.accepted_at IS NOT NULL AND memberships.uuid <> users.uuid
    ON CONFLICT DO NOTHING`,
  );
  const sources = [];
  if ((await bulk.get('SELECT 1 FROM told_uuids LIMIT 1')) !== undefined)
    sources.push('told_uuids AS known ON known.uuid = staged.uuid JOIN users ON users.id = known.user_id');
  if (await hasOwnUsers(bulk)) sources.push('users ON users.uuid = staged.uuid');
  for (const source of sources) {
    await bulk.run(
      `INSERT INTO linked (platform_id, id)
      SELECT staged.id, users.id FROM staged_users AS staged JOIN ${source}
      LEFT JOIN platform_numbers AS own ON own.user_id = users.id
      WHERE NOT staged.deleted AND staged.id <= ${MAX_PLATFORM_NUMBER}
        AND own.platform_id IS NULL AND (users.id > ${MAX_PLATFORM_NUMBER} OR own.user_id IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM platform_numbers AS taken WHERE taken.platform_id = staged.id)
        AND NOT EXISTS (
          SELECT 1 FROM users AS same LEFT JOIN platform_numbers AS apart ON apart.user_id = same.id
          WHERE same.id = staged.id AND apart.user_id IS NULL
        )
      ON CONFLICT DO NOTHING`,
    );
  }
  await bulk.run(
    `INSERT INTO renumbered (platform_id, id) SELECT platform_id, id FROM linked
    WHERE true ON CONFLICT (platform_id) DO UPDATE SET id = excluded.id`,
  );
}

async function hasOwnUsers(bulk: Bulk): Promise<boolean> {
  const found = await bulk.get(
    `SELECT 1 WHERE EXISTS (SELECT 1 FROM users WHERE id > ${MAX_PLATFORM_NUMBER})
      OR EXISTS (SELECT 1 FROM platform_numbers)`,
  );
  return found !== undefined;
}

/** One person under two numbers: it is not known which of the records counts. */
async function refuseBoth(bulk: Bulk): Promise<void> {
  for (const { table, column, field, others } of places) {
    if (others === null) continue;
    const found = await bulk.get<{ line: number; platform_id: number; id: number }>(
      `SELECT CASE WHEN own.line > staged.line THEN own.line ELSE staged.line END AS line,
        renumbered.platform_id, renumbered.id
      FROM renumbered JOIN ${table} AS staged ON staged.${column} = renumbered.platform_id
      JOIN ${table} AS own ON own.${column} = renumbered.id
        ${others.map((other) => `AND own.${other} = staged.${other}`).join(' ')}
      WHERE renumbered.id <> renumbered.platform_id
        AND NOT EXISTS (SELECT 1 FROM renumbered AS moved WHERE moved.platform_id = own.${column})
      ORDER BY 1 LIMIT 1`,
    );
    if (found === undefined) continue;
    const { line, platform_id, id } = found;
    throw new DatasetError(
      { line, field },
      `users ${id} and ${platform_id} are one person: use one of the numbers`,
    );
  }
}

interface Renumber {
  readonly map?: string;
  readonly from?: string;
  readonly to?: string;
}

/** In two steps, so that one that takes the number of another one never meets it. */
async function renumber(
  bulk: Bulk,
  { map = 'renumbered', from = 'platform_id', to = 'id' }: Renumber = {},
): Promise<void> {
  for (const { table, column } of places) {
    const { changes } = await bulk.run(
      `UPDATE ${table} SET ${column} = ${ASIDE} + (SELECT ${to} FROM ${map} WHERE ${from} = ${table}.${column})
      WHERE ${column} IN (SELECT ${from} FROM ${map})`,
    );
    if (changes === 0) continue;
    await bulk.run(`UPDATE ${table} SET ${column} = ${column} - ${ASIDE} WHERE ${column} > ${ASIDE / 2n}`);
  }
}

// ── When it is applied ─────────────────────────────────────────────────────────────────────────────────────

const nextNumber: Record<Engine, string> = {
  sqlite: `(SELECT seq FROM sqlite_sequence WHERE name = 'users') + row_number() OVER (ORDER BY id DESC)`,
  postgres: `nextval(pg_get_serial_sequence('users', 'id'))`,
};

/** Throws `Outdated` when accounts have become others since `findPeople`, and holds them as they are from here on. */
export async function holdPeople(bulk: Bulk): Promise<void> {
  if (bulk.engine === 'postgres') {
    await bulk.run(
      `SELECT 1 FROM users JOIN staged_users AS staged ON staged.id = users.id
      WHERE staged.email <> users.email AND NOT staged.deleted ORDER BY users.id FOR UPDATE OF users`,
    );
  }
  const changed = await bulk.get(
    `SELECT 1 FROM platform_numbers AS own
    LEFT JOIN renumbered ON renumbered.platform_id = coalesce(own.platform_id, own.user_id)
    WHERE (own.platform_id IS NOT NULL AND renumbered.id IS DISTINCT FROM own.user_id)
      OR (own.platform_id IS NULL AND own.user_id <= ${MAX_PLATFORM_NUMBER} AND renumbered.id IS NULL)
    LIMIT 1`,
  );
  if (changed !== undefined) throw new Outdated('numbers have changed hands');
  if (await changesIdentity(bulk)) throw new Outdated('an account has changed');
}

/** Numbers of ours for new users whose number an account made here has. */
export async function giveNumbers(bulk: Bulk): Promise<void> {
  if ((await bulk.get('SELECT 1 FROM staged_users WHERE id < 0 AND NOT deleted LIMIT 1')) === undefined)
    return;
  const { whole } = types[bulk.engine];
  await bulk.run(`CREATE TEMP TABLE given (platform_id ${whole} PRIMARY KEY, id ${whole})`);
  await bulk.run(
    `INSERT INTO given (platform_id, id)
    SELECT id, ${nextNumber[bulk.engine]} FROM staged_users WHERE id < 0 AND NOT deleted ORDER BY id DESC`,
  );
  await renumber(bulk, { map: 'given' });
  await bulk.run('INSERT INTO linked (platform_id, id) SELECT -platform_id, id FROM given');
  await bulk.run('DROP TABLE given');
}

/** Once the users are stored. */
export async function keepNumbers(bulk: Bulk): Promise<void> {
  if ((await bulk.get('SELECT 1 FROM linked LIMIT 1')) === undefined) return;
  await bulk.run(
    `INSERT INTO platform_numbers (user_id, platform_id) SELECT id, platform_id FROM linked
    WHERE true ON CONFLICT (user_id) DO UPDATE SET platform_id = excluded.platform_id`,
  );
  await bulk.run('DELETE FROM platform_numbers WHERE user_id = platform_id');
}

// ── What is refused ────────────────────────────────────────────────────────────────────────────────────────

/** Who a row is, and who a record says that it is. */
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

/** Whether any of `identityChecks` finds something, in one look at all records. */
export async function changesIdentity(bulk: Bulk): Promise<boolean> {
  const found = await bulk.get(`${offending(`(${OTHER_UUID} OR ${OTHER_ADDRESS})`)} LIMIT 1`);
  return found !== undefined;
}

/** An address may hold what a shell would act upon. */
function shellWord(text: string): string {
  return /^[\w.@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** No import gives an account to another person. */
export const identityChecks = [
  {
    field: 'uuid',
    text: offending(OTHER_UUID),
    message: ({ id, platform_id, email, uuid, said_email, said_uuid }: Identities) =>
      `user ${platform_id ?? id} is ${email} (UUID ${uuid}), but this record is for ${said_email} (UUID ${said_uuid}): ` +
      'an import never gives an account to another person. If the platform reassigned the number, first remove user ' +
      `${platform_id ?? id} in an import of its own. If the account was made here, run: ` +
      `rollcall user detach --email ${shellWord(email)}`,
  },
  {
    field: 'email',
    text: offending(OTHER_ADDRESS),
    message: ({ id, platform_id, email, said_email }: Identities) =>
      `user ${platform_id ?? id} signs in as ${email} with a password, but this record says ${said_email}: ` +
      'an import never changes the address of a person who has a password. To change it, run: ' +
      `rollcall user set-email --email ${shellWord(email)} --to ${shellWord(said_email)}`,
  },
] as const;
