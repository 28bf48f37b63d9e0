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
  /** The key before the current one, if it was kept. */
  readonly old_key_digest: string | null;
  readonly old_key_version: number | null;
  readonly old_key_until: number | null;
  readonly old_key_used: number | null;
}

export function toOrganization(row: CompanyRow): Organization {
  const { id, title, wellness, zone, key_version, old_key_version, old_key_until } = row;
  return {
    ...{ id, name: title, eap: wellness === 1, timeZone: zone, accessKeyGeneration: key_version },
    previousAccessKey:
      old_key_version === null || old_key_until === null
        ? null
        : { generation: old_key_version, until: new Date(old_key_until) },
  };
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
        `SELECT * FROM companies WHERE key_digest IN (${marks}) OR old_key_digest IN (${marks})
        ORDER BY key_digest IN (${marks}) DESC`,
        ...[...hashes, ...hashes, ...hashes],
      );
      if (row === null) return null;
      const isCurrent = row.key_digest !== null && hashes.includes(row.key_digest);
      return {
        ...toOrganization(row),
        keyGeneration: isCurrent ? row.key_version : (row.old_key_version ?? 0),
        accessKeyUsedAt: timestampOrNull(isCurrent ? row.key_used : row.old_key_used),
        accessKeyHash: (isCurrent ? row.key_digest : row.old_key_digest) ?? '',
      };
    },

    async replaceAccessKey({ organizationId, hash, at, replaces, keepOldUntil }, buildEntries) {
      return database.transaction(() => {
        const before = byId(organizationId);
        if (replaces !== undefined && before?.key_version !== replaces) return null;
        const organization = found(
          database.get(
            `UPDATE companies SET key_digest = ?, key_version = max(key_version + 1, ?), key_made = ?, key_used = NULL,
              old_key_digest = ?, old_key_version = ?, old_key_used = ?, old_key_until = ?
            WHERE id = ? RETURNING *`,
            ...[hash, Math.floor(at.getTime() / 1000), at.getTime()],
            ...keptKey(before, keepOldUntil),
            organizationId,
          ),
        );
        if (organization === null) return null;
        writeDown(database, buildEntries?.({ organization, isFirst: before?.key_made === null }));
        return organization;
      });
    },

    async moveAccessKeyHash({ organizationId, from, to }) {
      return ['key_digest', 'old_key_digest'].some((column) => {
        const text = `UPDATE companies SET ${column} = ? WHERE id = ? AND ${column} = ?`;
        return database.run(text, to, organizationId, from) === 1;
      });
    },

    async accessKey(organizationId) {
      const row = byId(organizationId);
      if (row === null || row.key_made === null) return null;
      const previous = toOrganization(row).previousAccessKey;
      return {
        createdAt: new Date(row.key_made),
        usedAt: timestampOrNull(row.key_used),
        previous: previous && { until: previous.until, usedAt: timestampOrNull(row.old_key_used) },
      };
    },

    async touchAccessKey({ organizationId, generation, at }) {
      for (const key of ['key', 'old_key']) {
        database.run(
          `UPDATE companies SET ${key}_used = max(coalesce(${key}_used, ?), ?) WHERE id = ? AND ${key}_version = ?`,
          ...[at.getTime(), at.getTime(), organizationId, generation],
        );
      }
    },

    async setTimeZone({ organizationId, timeZone, replaces }, buildEntries) {
      return database.transaction(() => {
        const zone = byId(organizationId)?.zone;
        if (replaces !== undefined && zone !== undefined && zone !== replaces && zone !== timeZone)
          return 'outdated';
        const text = 'UPDATE companies SET zone = ? WHERE id = ? RETURNING *';
        const organization = found(database.get(text, timeZone, organizationId));
        if (organization !== null) writeDown(database, buildEntries?.(organization));
        return organization;
      });
    },

    async create({ name, eap }, buildEntries) {
      return database.transaction(() => {
        const text = 'INSERT INTO companies (title, wellness) VALUES (?, ?) RETURNING *';
        const organization = toOrganization(database.one<CompanyRow>(text, name, Number(eap)));
        writeDown(database, buildEntries?.(organization));
        return organization;
      });
    },

    async list() {
      return database.all<CompanyRow>('SELECT * FROM companies ORDER BY id').map(toOrganization);
    },
  };
}

/** The digest, version, last use and end of the replaced key, if it is kept. */
function keptKey(before: CompanyRow | null, until: Date | undefined): readonly (string | number | null)[] {
  if (before === null || before.key_digest === null || until === undefined) return [null, null, null, null];
  return [before.key_digest, before.key_version, before.key_used, until.getTime()];
}
