import type { PersonalAccount, PersonKey } from '@rollcall/core';
import { readEmailChange } from '@rollcall/core/adapters';
import { type Sql, timestampOrNull } from '../engine/database.js';
import { inLists, raw, SQL, type SqlText } from '../engine/sql-text.js';
import { readLists, select, selectOne } from '../engine/statements.js';
import { stored, storedIn } from '../engine/stored.js';
import { storedUser } from '../stores/user-row.js';
import { search } from './search.js';

/** The account, with what a user leaves out. */
const storedAccount = stored(
  `${storedUser.columns}, users.password_hash IS NOT NULL AS has_password, users.signed_in_at`,
  (row) => ({
    ...storedUser.read(row),
    hasPassword: Boolean(row.has_password),
    signedInAt: timestampOrNull(row.signed_in_at as string | null),
  }),
);

/** The id of no user. 0 stands for people who were erased. */
export const NOBODY = -1;

/** What identifies a person in other rows. */
export interface Person {
  readonly account: PersonalAccount | null;
  /** Each address that the person has or had, the current one first. */
  readonly emails: readonly [string, ...string[]];
  /** The UUIDs under which the person is known. */
  readonly uuids: readonly string[];
  readonly invitationIds: readonly string[];
}

/** Finds the person. Null: there is neither an account nor an invitation, nor an address to search for. */
export async function findPerson(read: Sql, key: PersonKey): Promise<Person | null> {
  const email = 'email' in key ? key.email : await emailOfUuid(read, key.uuid);
  if (email === null) return null;
  const account = await accountOf(read, email);
  const userId = account?.id ?? NOBODY;
  const memberships = await select<{ uuid: string }>(read)`SELECT uuid FROM memberships
    WHERE user_id = ${userId}
    UNION ALL SELECT uuid FROM directory_people WHERE kept_user_id = ${userId}`;
  const own = account === null ? [] : [account.uuid, ...memberships.map(({ uuid }) => uuid)];
  const earlier = [
    ...(await earlierAddresses(read, email)),
    ...(await invitationsOf(read, { emails: [email], uuids: own })).map((invitation) => invitation.email),
  ];
  const free = await withoutUsers(read, earlier);
  const emails = [email, ...new Set(free.filter((one) => one !== email))] as const;
  const invitations = await invitationsOf(read, { emails, uuids: own });
  return {
    account,
    emails,
    uuids: [...new Set([...own, ...invitations.map(({ userUuid }) => userUuid)])],
    invitationIds: invitations.map(({ id }) => id),
  };
}

export function accountOf(sql: Sql, email: string): Promise<Person['account']> {
  return storedAccount.first(sql)`FROM users WHERE email = ${email}`;
}

async function emailOfUuid(sql: Sql, uuid: string): Promise<string | null> {
  const texts = [
    SQL`email FROM users WHERE uuid = ${uuid}`,
    SQL`users.email FROM memberships JOIN users ON users.id = memberships.user_id
      WHERE memberships.uuid = ${uuid}`,
    SQL`email FROM invitations WHERE user_uuid = ${uuid}`,
    SQL`users.email FROM directory_people JOIN users ON users.id = kept_user_id
      WHERE directory_people.uuid = ${uuid}`,
    SQL`coalesce(email_key, user_name_key) AS email FROM directory_people
      WHERE uuid = ${uuid} AND removed_at IS NULL`,
  ];
  for (const text of texts) {
    const row = await selectOne<{ email: string }>(sql)`SELECT ${text}`;
    if (row !== undefined) return row.email;
  }
  return null;
}

const invited = storedIn('invitations', { id: 'text', email: 'text', userUuid: 'text' });

type Invited = ReturnType<typeof invited.read>;

/** The invitations to these addresses, and those that these UUIDs were given with. */
export async function invitationsOf(sql: Sql, { emails, uuids }: Pick<Person, 'emails' | 'uuids'>) {
  const found = new Map<string, Invited>();
  const add = async (condition: SqlText): Promise<void> => {
    const all = await invited.all(sql)`FROM invitations WHERE ${condition} ORDER BY created_at, id`;
    for (const one of all) found.set(one.id, one);
  };
  for (const email of emails) await add(SQL`email = ${email}`);
  for (const list of inLists(uuids)) await add(SQL`user_uuid IN (${list})`);
  return [...found.values()];
}

/** The addresses that the audit trails know as earlier ones, the latest first. */
async function earlierAddresses(read: Sql, email: string) {
  const { rows } = await search(read, storedIn('audit_entries', { subject: 'text' }), {
    ...{ table: 'audit_entries', key: 'id' },
    condition: raw("action = 'email-changed' AND subject IS NOT NULL"),
  });
  const changes = rows.map(({ subject }) => readEmailChange(subject));
  const addresses = [email];
  for (const address of addresses)
    for (const change of changes)
      if (change?.to === address && !addresses.includes(change.from)) addresses.push(change.from);
  return addresses.slice(1);
}

async function withoutUsers(sql: Sql, emails: readonly string[]): Promise<readonly string[]> {
  const users = await readLists(
    emails,
    (list) => select<{ email: string }>(sql)`SELECT email FROM users WHERE email IN (${list})`,
  );
  const taken = new Set(users.map((user) => user.email));
  return emails.filter((email) => !taken.has(email));
}
