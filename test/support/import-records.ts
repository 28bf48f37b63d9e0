import { Readable } from 'node:stream';
import type { Database } from '#adapters/sql/index.js';
import type { DatasetRules } from '#app/dataset/dataset-rules.js';
import { loadDataset } from '#app/dataset/load-dataset.js';

export const organization = {
  kind: 'organization',
  id: 1,
  name: 'Northwind',
  eap: true,
  access_key: '1'.repeat(24),
};

export const user = {
  kind: 'user',
  id: 100,
  uuid: '8F6F1C52-52D2-4F3B-9A8E-0E6A2B7F0001',
  email: ' Dana@Example.TEST ',
  first_name: 'Dana',
  last_name: 'Kim',
  created_at: '2026-01-05T10:00:00+01:00',
};

export const membership = {
  kind: 'membership',
  organization_id: 1,
  user_id: 100,
  role: 'member',
  idp_id: 'idp-0',
};

export const meeting = {
  kind: 'meeting',
  id: 1,
  organization_id: 1,
  name: 'Grief circle',
  meeting_type: 'Group',
  start_time: '2026-11-20T18:00:00Z',
  end_time: '2026-11-20T19:30:00Z',
  status: 'scheduled',
  location: 'zoom',
};

export const registration = {
  kind: 'registration',
  meeting_id: 1,
  user_id: 100,
  registered_at: '2026-11-01T10:00:00Z',
};

export const waiting = { kind: 'waitlist_entry', meeting_id: 1, user_id: 100, status: 'waiting' };

export type Fields = Readonly<Record<string, unknown>>;

export const rules: DatasetRules = {
  locations: ['service', 'zoom'],
  accessKeyHashes: (accessKey) => [`hash of ${accessKey}`],
  organizationOf: async () => null,
};

export function ndjson(...records: readonly Fields[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** Imports records as the command does. */
export function importInto(
  database: Database,
  records: readonly Fields[],
  given: Partial<Parameters<typeof loadDataset>[0]> = {},
) {
  const source = Readable.from([Buffer.from(ndjson(...records))]);
  return loadDataset({ database, source, rules, at: new Date('2026-11-20T12:00:00.000Z'), ...given });
}

export const tables = [
  'organizations',
  'users',
  'memberships',
  'meetings',
  'service_meeting_organizations',
  'registrations',
  'waitlist_entries',
];
