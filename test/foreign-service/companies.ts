import type { Organization, Organizations } from '@rollcall/core';
import { type Database, timestampOrNull } from './database.js';
import { writeDown } from './diary.js';

export interface CompanyRow {
  readonly id: number;
  readonly title: string;
  readonly wellness: number;
  readonly zone: string | null;
  readonly key_digest: string | null;
  readonly key_version: number;
  readonly key_made: number | null;
  readonly key_used: number | null;
}

export function toOrganization({ id, title, wellness, zone, key_version }: CompanyRow): Organization {
  return { id, name: title, eap: wellness === 1, timeZone: zone, accessKeyGeneration: key_version };
}

export function companyOrganizations(database: Database): Organizations {
  const found = (row: CompanyRow | null): Organization | null => (row === null ? null : toOrganization(row));
  const byId = (id: number): CompanyRow | null => database.get('SELECT * FROM companies WHERE id = ?', id);
  return {
    async byId(organizationId) {
      return found(byId(organizationId));
    },

    async byAccessKeyHash(hashes) {
      const marks = hashes.map(() => '?').join(', ');
      const row = database.get<CompanyRow>(
        `SELECT * FROM companies WHERE key_digest IN (${marks})`,
        ...hashes,
      );
      if (row === null) return null;
      const { key_used, key_digest } = row;
      return {
        ...toOrganization(row),
        accessKeyUsedAt: timestampOrNull(key_used),
        accessKeyHash: key_digest ?? '',
      };
    },

    async replaceAccessKey({ organizationId, hash, at, replaces }, buildEntries) {
      return database.transaction(() => {
        const before = byId(organizationId);
        if (replaces !== undefined && before?.key_version !== replaces) return null;
        const organization = found(
          database.get(
            `UPDATE companies SET key_digest = ?, key_version = max(key_version + 1, ?), key_made = ?, key_used = NULL
            WHERE id = ? RETURNING *`,
            ...[hash, Math.floor(at.getTime() / 1000), at.getTime(), organizationId],
          ),
        );
        if (organization === null) return null;
        writeDown(database, buildEntries?.({ organization, isFirst: before?.key_made === null }));
        return organization;
      });
    },

    async moveAccessKeyHash({ organizationId, from, to }) {
      const text = 'UPDATE companies SET key_digest = ? WHERE id = ? AND key_digest = ?';
      return database.run(text, to, organizationId, from) === 1;
    },

    async accessKey(organizationId) {
      const row = byId(organizationId);
      if (row === null || row.key_made === null) return null;
      return { createdAt: new Date(row.key_made), usedAt: timestampOrNull(row.key_used) };
    },

    async touchAccessKey({ organizationId, generation, at }) {
      database.run(
        `UPDATE companies SET key_used = max(coalesce(key_used, ?), ?) WHERE id = ? AND key_version = ?`,
        ...[at.getTime(), at.getTime(), organizationId, generation],
      );
    },

    async setTimeZone({ organizationId, timeZone }, buildEntries) {
      return database.transaction(() => {
        const text = 'UPDATE companies SET zone = ? WHERE id = ? RETURNING *';
        const organization = found(database.get(text, timeZone, organizationId));
        if (organization !== null) writeDown(database, buildEntries?.(organization));
        return organization;
      });
    },

    async create({ name, eap }) {
      const text = 'INSERT INTO companies (title, wellness) VALUES (?, ?) RETURNING *';
      return toOrganization(database.one<CompanyRow>(text, name, Number(eap)));
    },

    async list() {
      return database.all<CompanyRow>('SELECT * FROM companies ORDER BY id').map(toOrganization);
    },
  };
}
