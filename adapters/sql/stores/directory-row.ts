import type {
  Directory,
  DirectoryEntry,
  DirectoryPerson,
  DirectoryRequest,
  DirectoryToken,
  Role,
} from '@rollcall/core';
import { directoryKey, directoryPerson } from '@rollcall/core/adapters';
import { normalizeEmail } from '@rollcall/core/rules';
import type { Engine, Sql } from '../engine/database.js';
import { raw, SQL } from '../engine/sql-text.js';
import { countOf, select, selectOne, selectOnly } from '../engine/statements.js';
import { oneOf, stored, storedIn } from '../engine/stored.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { findMember, storedMember } from './members.js';

/** What a directory has written about a person who was not removed, and whose it is. */
export const storedOwnEntry = storedIn('directory_people', {
  ...{ organizationId: 'whole', uuid: 'text', userName: 'text', externalId: 'textOrNull' },
  ...{ givenName: 'textOrNull', familyName: 'textOrNull', displayName: 'textOrNull' },
  ...{ email: 'textOrNull', isActive: 'flag' },
});

/** The same without whose it is. */
const storedEntry = stored<DirectoryEntry>(storedOwnEntry.columns, (row) => {
  const { organizationId: _, uuid: _uuid, ...entry } = storedOwnEntry.read(row);
  return entry;
});

/** The membership that can be restored. */
export const storedKept = storedIn('directory_people', {
  ...{ uuid: 'text', keptUserId: 'wholeOrNull', keptRole: oneOf<Role | null>(), keptIdpId: 'textOrNull' },
  ...{ keptJoinedAt: 'timeOrNull', keptNeedsSignOn: 'flag' },
});

export const storedToken = storedIn('directory_tokens', {
  ...{ hash: 'text', organizationId: 'whole', createdAt: 'time', usedAt: 'timeOrNull', endsAt: 'timeOrNull' },
}) satisfies { read(row: never): DirectoryToken };

export const storedRequest = storedIn('directory_requests', {
  ...{ organizationId: 'whole', at: 'time', method: 'text', status: 'whole', reason: 'text' },
  uuid: 'textOrNull',
}) satisfies { read(row: never): DirectoryRequest };

/** The names are sorted by their bytes, whatever the language of the database is. */
const byName: Record<Engine, string> = { sqlite: 'user_name_key', postgres: 'user_name_key COLLATE "C"' };

export function listInactive(
  { engine, read }: Pick<StorageDatabase, 'engine' | 'read'>,
  { organizationId, limit }: { readonly organizationId: number; readonly limit: number },
) {
  return storedOwnEntry.all(read)`FROM directory_people
      WHERE organization_id = ${organizationId} AND removed_at IS NULL AND NOT is_active AND NOT EXISTS (
      SELECT 1 FROM memberships AS others
      WHERE others.organization_id = directory_people.organization_id
        AND others.uuid = directory_people.uuid
    ) ORDER BY ${raw(byName[engine])} LIMIT ${limit}`;
}

/** The person with this UUID; null: there is none. */
export async function personByUuid(
  sql: Sql,
  organizationId: number,
  uuid: string,
): Promise<DirectoryPerson | null> {
  const entry = await storedEntry.first(sql)`FROM directory_people
    WHERE organization_id = ${organizationId} AND uuid = ${uuid} AND removed_at IS NULL`;
  const member = await findMember(sql, 'uuid', [organizationId, uuid]);
  return directoryPerson({ organizationId, uuid }, { entry, member });
}

/** Each finds a person whom the directory has written, or else a member whom it has not written. */
const found = {
  userName: { row: 'user_name_key', member: 'users.email', keyOf: directoryKey },
  externalId: { row: 'external_id', member: 'memberships.idp_id', keyOf: (id: string) => id },
  email: { row: 'email_key', member: 'users.email', keyOf: normalizeEmail },
} as const;

interface Wanted {
  readonly organizationId: number;
  readonly value: string;
}

export async function personBy(
  sql: Sql,
  by: keyof typeof found,
  wanted: Wanted,
): Promise<DirectoryPerson | null> {
  const uuid = await uuidBy(sql, by, wanted);
  return uuid === null ? null : personByUuid(sql, wanted.organizationId, uuid);
}

export async function uuidBy(sql: Sql, by: keyof typeof found, { organizationId, value }: Wanted) {
  const { row, member, keyOf } = found[by];
  const key = keyOf(value);
  const known =
    (await selectOne<{ uuid: string }>(sql)`SELECT uuid FROM directory_people
      WHERE organization_id = ${organizationId} AND ${raw(row)} = ${key}`) ??
    (await selectOne<{ uuid: string }>(sql)`SELECT memberships.uuid
      FROM memberships JOIN users ON users.id = memberships.user_id
      WHERE memberships.organization_id = ${organizationId} AND ${raw(member)} = ${key} AND NOT EXISTS (
        SELECT 1 FROM directory_people AS written
        WHERE written.organization_id = memberships.organization_id AND written.uuid = memberships.uuid)`);
  return known?.uuid ?? null;
}

/** Both parts are read in the order of an index. */
const everyoneIn = (organizationId: number) => SQL`SELECT uuid FROM memberships
  WHERE organization_id = ${organizationId}
  UNION SELECT uuid FROM directory_people WHERE organization_id = ${organizationId} AND removed_at IS NULL`;

export async function listPeople(
  read: Sql,
  { organizationId, offset, limit }: Parameters<Directory['list']>[0],
): ReturnType<Directory['list']> {
  const everyone = everyoneIn(organizationId);
  const page = async () => {
    if (limit === 0) return [];
    const rows = await select<{ uuid: string }>(read)`
      ${everyone} ORDER BY uuid LIMIT ${limit} OFFSET ${offset}`;
    const uuids = rows.map(({ uuid }) => uuid);
    return peopleWith(read, organizationId, uuids);
  };
  // Side by side: each takes about half of the time.
  const [people, total] = await Promise.all([page(), countOf(read)`FROM (${everyone}) AS people`]);
  return { total, people };
}

/** All people from the first UUID to the last, in this order. */
async function peopleWith(read: Sql, organizationId: number, uuids: readonly string[]) {
  const [first, last] = [uuids[0], uuids.at(-1)];
  if (first === undefined || last === undefined) return [];
  const [entries, members] = await Promise.all([
    storedOwnEntry.all(read)`FROM directory_people
      WHERE organization_id = ${organizationId} AND uuid >= ${first} AND uuid <= ${last}
        AND removed_at IS NULL`,
    storedMember.all(read)`FROM memberships JOIN users ON users.id = memberships.user_id
      WHERE memberships.organization_id = ${organizationId} AND memberships.uuid >= ${first}
        AND memberships.uuid <= ${last}`,
  ]);
  const entryOf = new Map(entries.map(({ organizationId: _, uuid, ...entry }) => [uuid, entry]));
  const memberOf = new Map(members.map((member) => [member.uuid, member]));
  return uuids.flatMap((uuid) => {
    const seen = { entry: entryOf.get(uuid) ?? null, member: memberOf.get(uuid) ?? null };
    return directoryPerson({ organizationId, uuid }, seen) ?? [];
  });
}

/** People who are not members. */
const othersIn = (organizationId: number) => SQL`FROM directory_people AS known
  WHERE organization_id = ${organizationId} AND removed_at IS NULL AND NOT EXISTS (
    SELECT 1 FROM memberships
    WHERE memberships.organization_id = known.organization_id AND memberships.uuid = known.uuid)`;

type PeopleCounts = Readonly<Record<'active' | 'without' | 'inactive' | 'invited', number>>;

export async function countPeople(sql: Sql, organizationId: number) {
  const others = othersIn(organizationId);
  const { without: withoutIdpId, ...rest } = await selectOnly<PeopleCounts>(sql)`
    SELECT
      (SELECT count(*) FROM memberships WHERE organization_id = ${organizationId}) AS active,
      (SELECT count(*) FROM memberships WHERE organization_id = ${organizationId} AND idp_id IS NULL) AS without,
      (SELECT count(*) ${others} AND NOT is_active) AS inactive,
      (SELECT count(*) ${others} AND is_active) AS invited`;
  return { ...rest, withoutIdpId };
}
