import type { AccessKeyHolder, Organization, Organizations } from '@rollcall/core';
import { combineLookups } from '../engine/combine-lookups.js';
import { type Database, type Sql, timestampOrNull } from '../engine/database.js';
import { andAllOf, inLists, raw, SQL, type SqlText } from '../engine/sql-text.js';
import { execute, exists, readLists, select, selectOne } from '../engine/statements.js';
import { type StoredRow, stored, storedIn } from '../engine/stored.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { writeJournal } from './journal.js';

const fields = storedIn('organizations', {
  ...{ id: 'whole', name: 'text', eap: 'flag', timeZone: 'textOrNull', accessKeyGeneration: 'whole' },
  ...{ previousKeyGeneration: 'wholeOrNull', previousKeyUntil: 'timeOrNull' },
  previousKeyReplacedBy: 'wholeOrNull',
});

/** The previous key counts only beside the key that replaced it: an import changes only that one. */
export const storedOrganization = stored<Organization>(fields.columns, (row) => {
  const { id, name, eap, timeZone, accessKeyGeneration, ...previous } = fields.read(row);
  const {
    previousKeyGeneration: generation,
    previousKeyUntil: until,
    previousKeyReplacedBy: replacedBy,
  } = previous;
  const counts = generation !== null && until !== null && replacedBy === accessKeyGeneration;
  const previousAccessKey = counts ? { generation, until } : null;
  return { id, name, eap, timeZone, accessKeyGeneration, previousAccessKey };
});

type AccessKeyRow = StoredRow &
  Readonly<Record<'access_key_created_at' | 'access_key_used_at' | 'previous_key_used_at', string | null>>;

type LabelRow = Readonly<
  Record<'last_digits' | 'label_name' | 'previous_last_digits' | 'previous_name', string | null>
>;

/** The last use of the current key: an import may have left that of the key before it. */
const currentUsedAt = 'CASE WHEN access_key_used_at >= access_key_created_at THEN access_key_used_at END';
const usedAt = `${currentUsedAt} AS access_key_used_at, previous_key_used_at`;

/** A change of one value that another caller may have changed meanwhile. */
interface ValueChange {
  readonly organizationId: number;
  readonly field: 'name' | 'timeZone';
  readonly value: string | null;
  readonly replaces?: string | null | undefined;
}

export function sqlOrganizations({ engine, read, write }: StorageDatabase): Organizations {
  const touching = new Set<number>();
  const { find, findHolders } = lookupsIn({ engine, read });
  const replaceValue = (
    { organizationId, field, value, replaces }: ValueChange,
    journal: Parameters<Organizations['rename']>[1],
  ) =>
    write(async (sql) => {
      const before = await locked(sql, organizationId);
      if (before === null) return null;
      if (replaces !== undefined && ![replaces, value].includes(before[field])) return 'outdated' as const;
      const column = field === 'timeZone' ? 'time_zone' : field;
      await execute(sql)`UPDATE organizations SET ${raw(column)} = ${value} WHERE id = ${organizationId}`;
      const organization = { ...before, [field]: value };
      await writeJournal(sql, journal?.({ organization, before }));
      return organization;
    });
  return {
    async byId(organizationId) {
      return (await find(organizationId)).get(organizationId) ?? null;
    },

    async byAccessKeyHash(hashes) {
      const found = await findHolders(hashes);
      const holders = hashes.flatMap((hash) => found.get(hash) ?? []);
      return holders.find(hasCurrentKey) ?? holders[0] ?? null;
    },

    replaceAccessKey: ({ organizationId, hash, lastDigits = null, at, replaces, keepOldUntil }, journal) =>
      write(async (sql) => {
        const isFirst = await hasNoAccessKey(sql, organizationId);
        const isExpected = replaces !== undefined && SQL`access_key_generation = ${replaces}`;
        const organization = await storedOrganization.changed(sql)`UPDATE organizations
          SET access_key_hash = ${hash}, access_key_created_at = ${at}, access_key_used_at = NULL,
            access_key_generation = ${nextGeneration(at)},
            ${keepOldUntil === undefined ? forgetPrevious : keepAsPrevious(keepOldUntil, at)}
          WHERE id = ${organizationId}${andAllOf(isExpected)}`;
        if (organization === null) return null;
        await labelKey(sql, organization, lastDigits);
        await writeJournal(sql, journal?.({ organization, isFirst }));
        return organization;
      }),

    nameAccessKey: ({ organizationId, generation, name }, journal) =>
      write(async (sql) => {
        const organization = await locked(sql, organizationId);
        if (organization?.accessKeyGeneration !== generation) return false;
        if (await hasNoAccessKey(sql, organizationId)) return false;
        const row = await selectOne<{ readonly name: string | null }>(sql)`SELECT name FROM access_key_labels
          WHERE organization_id = ${organizationId} AND generation = ${generation}`;
        const before = row?.name ?? null;
        if (before === name) return true;
        await execute(sql)`INSERT INTO access_key_labels (organization_id, generation, name)
          VALUES (${organizationId}, ${generation}, ${name})
          ON CONFLICT (organization_id, generation) DO UPDATE SET name = excluded.name`;
        await writeJournal(sql, journal?.({ before }));
        return true;
      }),

    moveAccessKeyHash: ({ organizationId, from, to }) =>
      write(async (sql) => {
        for (const column of ['access_key_hash', 'previous_key_hash']) {
          const { changes } = await execute(sql)`UPDATE organizations SET ${raw(column)} = ${to}
            WHERE id = ${organizationId} AND ${raw(column)} = ${from}`;
          if (changes === 1) return true;
        }
        return false;
      }),

    async accessKey(organizationId) {
      const row = await selectOne<AccessKeyRow & LabelRow>(read)`SELECT ${raw(fields.columns)},
          access_key_created_at, ${raw(usedAt)},
          current_label.last_digits, current_label.name AS label_name,
          previous_label.last_digits AS previous_last_digits, previous_label.name AS previous_name
        FROM organizations
        LEFT JOIN access_key_labels AS current_label ON current_label.organization_id = organizations.id
          AND current_label.generation = access_key_generation
        LEFT JOIN access_key_labels AS previous_label ON previous_label.organization_id = organizations.id
          AND previous_label.generation = previous_key_generation
        WHERE organizations.id = ${organizationId} AND access_key_hash IS NOT NULL`;
      const createdAt = timestampOrNull(row?.access_key_created_at);
      if (row === undefined || createdAt === null) return null;
      const { previousAccessKey: previous } = storedOrganization.read(row);
      return {
        createdAt,
        usedAt: timestampOrNull(row.access_key_used_at),
        lastDigits: row.last_digits,
        name: row.label_name,
        previous: previous && {
          until: previous.until,
          usedAt: timestampOrNull(row.previous_key_used_at),
          lastDigits: row.previous_last_digits,
          name: row.previous_name,
        },
      };
    },

    async touchAccessKey({ organizationId, generation, at }) {
      // While one write runs, further ones would add nothing and only queue up.
      if (touching.has(organizationId)) return;
      touching.add(organizationId);
      try {
        await write(async (sql) => {
          for (const key of ['access_key', 'previous_key']) {
            await execute(sql)`UPDATE organizations SET ${raw(key)}_used_at = ${at}
              WHERE id = ${organizationId} AND ${raw(key)}_generation = ${generation}
                AND (${raw(key)}_used_at IS NULL OR ${raw(key)}_used_at < ${at})`;
          }
        });
      } finally {
        touching.delete(organizationId);
      }
    },

    setTimeZone: ({ timeZone, ...change }, journal) =>
      replaceValue({ ...change, field: 'timeZone', value: timeZone }, journal),

    rename: ({ name, ...change }, journal) =>
      replaceValue({ ...change, field: 'name', value: name }, journal),

    create: ({ name, eap }, journal) =>
      write(async (sql) => {
        const organization = await storedOrganization.changed(sql)`INSERT INTO organizations (name, eap)
          VALUES (${name}, ${eap})`;
        if (organization === null) throw new Error('the organization was not stored');
        await writeJournal(sql, journal?.(organization));
        return organization;
      }),

    list: () => storedOrganization.all(read)`FROM organizations ORDER BY id`,
  };
}

/** The lookups of every request. SQLite answers within the call, so that combining them would gain nothing. */
function lookupsIn({ engine, read }: Pick<Database, 'engine' | 'read'>) {
  const loadOrganizations = async (ids: readonly number[]): Promise<ReadonlyMap<number, Organization>> => {
    const found = await readLists(
      ids,
      (list) => storedOrganization.all(read)`FROM organizations WHERE id IN (${list})`,
    );
    return new Map(found.map((organization) => [organization.id, organization]));
  };
  /** By the hash, so that a caller finds nothing under the hashes of others. */
  const loadHolders = async (
    callers: readonly (readonly string[])[],
  ): Promise<ReadonlyMap<string, AccessKeyHolder>> => {
    const found = new Map<string, AccessKeyHolder>();
    for (const list of inLists([...new Set(callers.flat())])) {
      const rows = await select<HolderRow>(read)`SELECT ${raw(fields.columns)}, ${raw(usedAt)},
        access_key_hash, previous_key_hash FROM organizations
        WHERE access_key_hash IN (${list}) OR previous_key_hash IN (${list})`;
      for (const holder of rows.flatMap(holdersOf))
        if (hasCurrentKey(holder) || !found.has(holder.accessKeyHash))
          found.set(holder.accessKeyHash, holder);
    }
    return found;
  };
  if (engine === 'sqlite') {
    return {
      find: (id: number) => loadOrganizations([id]),
      findHolders: (hashes: readonly string[]) => loadHolders([hashes]),
    };
  }
  return { find: combineLookups(loadOrganizations), findHolders: combineLookups(loadHolders) };
}

function hasCurrentKey({ keyGeneration, accessKeyGeneration }: AccessKeyHolder): boolean {
  return keyGeneration === accessKeyGeneration;
}

type HolderRow = AccessKeyRow & Readonly<Record<'access_key_hash' | 'previous_key_hash', string | null>>;

/** The organization with each of its keys that can be used: a previous one may count as removed. */
function holdersOf(row: HolderRow): readonly AccessKeyHolder[] {
  const organization = storedOrganization.read(row);
  const { access_key_hash: current, previous_key_hash: previous } = row;
  const { previousAccessKey } = organization;
  const holder = (hash: string, keyGeneration: number, usedAt: string | null): AccessKeyHolder => ({
    ...{ ...organization, keyGeneration, accessKeyUsedAt: timestampOrNull(usedAt), accessKeyHash: hash },
  });
  const holders: AccessKeyHolder[] = [];
  if (current !== null)
    holders.push(holder(current, organization.accessKeyGeneration, row.access_key_used_at));
  if (previousAccessKey !== null && previous !== null)
    holders.push(holder(previous, previousAccessKey.generation, row.previous_key_used_at));
  return holders;
}

/** Also locks the organization: no other caller can set its first key until the transaction ends. */
function hasNoAccessKey(sql: Sql, organizationId: number): Promise<boolean> {
  return exists(sql)`FROM organizations WHERE id = ${organizationId} AND access_key_hash IS NULL FOR UPDATE`;
}

/** Labels a new key, which has the name of the one that it replaces, and forgets the labels of keys that are gone. */
async function labelKey(sql: Sql, labeled: Organization, lastDigits: string | null): Promise<void> {
  const { id, accessKeyGeneration: generation, previousAccessKey } = labeled;
  await execute(sql)`INSERT INTO access_key_labels (organization_id, generation, last_digits, name)
    VALUES (${id}, ${generation}, ${lastDigits}, (
      SELECT name FROM access_key_labels WHERE organization_id = ${id} ORDER BY generation DESC LIMIT 1
    ))`;
  await execute(sql)`DELETE FROM access_key_labels
    WHERE organization_id = ${id} AND generation <> ${generation}
    AND generation <> ${previousAccessKey?.generation ?? generation}`;
}

/** The organization, which no other caller changes until the transaction ends. */
function locked(sql: Sql, organizationId: number): Promise<Organization | null> {
  return storedOrganization.first(sql)`FROM organizations WHERE id = ${organizationId} FOR UPDATE`;
}

/** Higher than the current generation and than any of an organization removed before `at`. */
export function nextGeneration(at: Date): SqlText {
  const seconds = firstGeneration(at);
  return SQL`CASE WHEN access_key_generation >= ${seconds} THEN access_key_generation + 1 ELSE ${seconds} END`;
}

export function firstGeneration(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}

export const forgetPrevious =
  raw(`previous_key_hash = NULL, previous_key_generation = NULL, previous_key_used_at = NULL,
  previous_key_until = NULL, previous_key_replaced_by = NULL`);

/** Without a current key, nothing is kept. */
const keepAsPrevious = (until: Date, at: Date) => SQL`previous_key_hash = access_key_hash,
  previous_key_generation = CASE WHEN access_key_hash IS NOT NULL THEN access_key_generation END,
  previous_key_used_at = ${raw(currentUsedAt)}, previous_key_until = ${until},
  previous_key_replaced_by = ${nextGeneration(at)}`;
