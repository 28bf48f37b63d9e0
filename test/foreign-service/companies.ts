import type { Organization, Organizations } from '@rollcall/core';
import type { Database } from './database.js';

export interface CompanyRow {
  readonly id: number;
  readonly title: string;
  readonly wellness: number;
  readonly zone: string | null;
  readonly key_version: number;
}

export function toOrganization({ id, title, wellness, zone, key_version }: CompanyRow): Organization {
  return { id, name: title, eap: wellness === 1, timeZone: zone, accessKeyGeneration: key_version };
}

export function companyOrganizations(database: Database): Organizations {
  const found = (row: CompanyRow | null): Organization | null => (row === null ? null : toOrganization(row));
  return {
    async byId(organizationId) {
      return found(database.get('SELECT * FROM companies WHERE id = ?', organizationId));
    },

    async byAccessKeyHash(hashes) {
      const marks = hashes.map(() => '?').join(', ');
      return found(database.get(`SELECT * FROM companies WHERE key_digest IN (${marks})`, ...hashes));
    },

    async replaceAccessKey({ organizationId, hash, at }) {
      return found(
        database.get(
          `UPDATE companies SET key_digest = ?, key_version = max(key_version + 1, ?) WHERE id = ? RETURNING *`,
          hash,
          Math.floor(at.getTime() / 1000),
          organizationId,
        ),
      );
    },

    async create({ name, eap }) {
      const text = 'INSERT INTO companies (title, wellness) VALUES (?, ?) RETURNING *';
      const row = database.get<CompanyRow>(text, name, Number(eap));
      if (row === null) throw new Error('An INSERT gave no row');
      return toOrganization(row);
    },

    async list() {
      return database.all<CompanyRow>('SELECT * FROM companies ORDER BY id').map(toOrganization);
    },
  };
}
