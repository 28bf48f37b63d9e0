import type { Organization, Organizations } from '@rollcall/core';
import { type Database, inLists, only } from './database.js';

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

export function sqlOrganizations({ read, write }: Database): Organizations {
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
        const row = await read.get<OrganizationRow>(
          `SELECT ${organizationColumns} FROM organizations WHERE access_key_hash IN (${list.marks})`,
          list.values,
        );
        if (row !== undefined) return toOrganization(row);
      }
      return null;
    },

    async replaceAccessKey({ organizationId, hash, at }) {
      const [row] = await write((sql) =>
        sql.all<OrganizationRow>(
          `UPDATE organizations
          SET access_key_hash = ?, access_key_created_at = ?, access_key_generation = ${nextGeneration}
          WHERE id = ?
          RETURNING ${organizationColumns}`,
          [hash, at, ...generationValues(at), organizationId],
        ),
      );
      return row === undefined ? null : toOrganization(row);
    },

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

/** Above the current one, and above all that an organization removed before `at` had; see `generationValues`. */
export const nextGeneration =
  'CASE WHEN access_key_generation >= ? THEN access_key_generation + 1 ELSE ? END';

/** For the marks of `nextGeneration`. */
export function generationValues(at: Date): readonly [number, number] {
  const seconds = Math.floor(at.getTime() / 1000);
  return [seconds, seconds];
}
