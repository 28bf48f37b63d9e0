import type { Organization, Organizations } from '@rollcall/core';
import { type Database, type Engine, inLists, only, type Sql, timestampOrNull } from '../engine/database.js';
import { insertEntries } from './audit-trail.js';

export interface OrganizationRow {
  readonly id: number;
  readonly name: string;
  readonly eap: number | boolean;
  readonly time_zone: string | null;
  readonly access_key_generation: number;
}

/** The columns of an `OrganizationRow`, of the table `organizations`. */
export const organizationColumns =
  'organizations.id, organizations.name, organizations.eap, organizations.time_zone, organizations.access_key_generation';

export function toOrganization(row: OrganizationRow): Organization {
  return {
    id: row.id,
    name: row.name,
    eap: Boolean(row.eap),
    timeZone: row.time_zone,
    accessKeyGeneration: row.access_key_generation,
  };
}

interface AccessKeyRow {
  readonly access_key_created_at: string | null;
  readonly access_key_used_at: string | null;
}

/** The last use of the current key: the column may still hold that of the previous one. */
const usedAt =
  'CASE WHEN access_key_used_at >= access_key_created_at THEN access_key_used_at END AS access_key_used_at';

export function sqlOrganizations({ engine, read, write }: Database): Organizations {
  const touching = new Set<number>();
  return {
    async byId(organizationId) {
      const row = await read.get<OrganizationRow>(
        `SELECT ${organizationColumns} FROM organizations WHERE id = ?`,
        [organizationId],
      );
      return row === undefined ? null : toOrganization(row);
    },

    async byAccessKeyHash(hashes) {
      for (const list of inLists(hashes)) {
        const row = await read.get<OrganizationRow & AccessKeyRow & { readonly access_key_hash: string }>(
          `SELECT ${organizationColumns}, ${usedAt}, access_key_hash FROM organizations WHERE access_key_hash IN (${list.placeholders})`,
          list.values,
        );
        if (row === undefined) continue;
        const accessKeyUsedAt = timestampOrNull(row.access_key_used_at);
        return { ...toOrganization(row), accessKeyUsedAt, accessKeyHash: row.access_key_hash };
      }
      return null;
    },

    replaceAccessKey: ({ organizationId, hash, at, replaces }, buildEntries) =>
      write(async (sql) => {
        const isFirst = await hasNoAccessKey({ engine, sql }, organizationId);
        const expected = replaces === undefined ? [] : [replaces];
        const [row] = await sql.all<OrganizationRow>(
          `UPDATE organizations
          SET access_key_hash = ?, access_key_created_at = ?, access_key_generation = ${nextGeneration}
          WHERE id = ?${expected.map(() => ' AND access_key_generation = ?').join('')}
          RETURNING ${organizationColumns}`,
          [hash, at, ...generationValues(at), organizationId, ...expected],
        );
        if (row === undefined) return null;
        const organization = toOrganization(row);
        await insertEntries(sql, buildEntries?.({ organization, isFirst }));
        return organization;
      }),

    moveAccessKeyHash: ({ organizationId, from, to }) =>
      write(async (sql) => {
        const { changes } = await sql.run(
          'UPDATE organizations SET access_key_hash = ? WHERE id = ? AND access_key_hash = ?',
          [to, organizationId, from],
        );
        return changes === 1;
      }),

    async accessKey(organizationId) {
      const row = await read.get<AccessKeyRow>(
        `SELECT access_key_created_at, ${usedAt} FROM organizations
        WHERE id = ? AND access_key_hash IS NOT NULL`,
        [organizationId],
      );
      const createdAt = timestampOrNull(row?.access_key_created_at ?? null);
      if (createdAt === null) return null;
      return { createdAt, usedAt: timestampOrNull(row?.access_key_used_at ?? null) };
    },

    async touchAccessKey({ organizationId, generation, at }) {
      // While one write runs, further ones would add nothing and only queue up.
      if (touching.has(organizationId)) return;
      touching.add(organizationId);
      try {
        await write((sql) =>
          sql.run(
            `UPDATE organizations SET access_key_used_at = ?
            WHERE id = ? AND access_key_generation = ?
              AND (access_key_used_at IS NULL OR access_key_used_at < ?)`,
            [at, organizationId, generation, at],
          ),
        );
      } finally {
        touching.delete(organizationId);
      }
    },

    setTimeZone: ({ organizationId, timeZone }, buildEntries) =>
      write(async (sql) => {
        const [row] = await sql.all<OrganizationRow>(
          `UPDATE organizations SET time_zone = ? WHERE id = ? RETURNING ${organizationColumns}`,
          [timeZone, organizationId],
        );
        if (row === undefined) return null;
        const organization = toOrganization(row);
        await insertEntries(sql, buildEntries?.(organization));
        return organization;
      }),

    async create({ name, eap }) {
      const rows = await write((sql) =>
        sql.all<OrganizationRow>(
          `INSERT INTO organizations (name, eap) VALUES (?, ?) RETURNING ${organizationColumns}`,
          [name, eap],
        ),
      );
      return toOrganization(only(rows));
    },

    async list() {
      const rows = await read.all<OrganizationRow>(
        `SELECT ${organizationColumns} FROM organizations ORDER BY id`,
      );
      return rows.map(toOrganization);
    },
  };
}

/** On PostgreSQL this also locks the organization: no other caller can set its first key until the transaction ends. */
async function hasNoAccessKey(
  { engine, sql }: { readonly engine: Engine; readonly sql: Sql },
  organizationId: number,
): Promise<boolean> {
  const row = await sql.get(
    `SELECT 1 FROM organizations WHERE id = ? AND access_key_hash IS NULL${engine === 'postgres' ? ' FOR UPDATE' : ''}`,
    [organizationId],
  );
  return row !== undefined;
}

/** Higher than the current generation and than any of an organization removed before `at`; see `generationValues`. */
export const nextGeneration =
  'CASE WHEN access_key_generation >= ? THEN access_key_generation + 1 ELSE ? END';

/** The values for the placeholders in `nextGeneration`. */
export function generationValues(at: Date): readonly [number, number] {
  const seconds = Math.floor(at.getTime() / 1000);
  return [seconds, seconds];
}
