import { Secret } from '@rollcall/core';
import type { aUser } from '@rollcall/core/testing';
import type { DatasetError } from '#adapters/sql/maintenance/index.js';
import { type Fields, importInto, rules as importRules, meeting } from './import-records.js';
import type { StoredTestService, TestService } from './test-service.js';

export const password = new Secret('correct horse');

export const joined = { email: 'nora@joined.test', firstName: 'Nora', lastName: 'Berg' };

export async function joinThroughInvitation(service: TestService) {
  const { invitationUrl } = await service.core.inviteUser({ organization: { id: 1 }, ...joined });
  const { firstName, lastName } = joined;
  return acceptInvitation(service, invitationUrl, { is: 'new', firstName, lastName, password });
}

export function acceptInvitation(
  service: TestService,
  url: string,
  person: Parameters<TestService['core']['acceptInvitation']>[0]['person'],
) {
  const token = url.split('/').at(-1) ?? '';
  return service.core.acceptInvitation({ token, person, address: '192.0.2.1' });
}

export function memberRecord(userId: number, role = 'member'): Fields {
  return { kind: 'membership', organization_id: 1, user_id: userId, role };
}

export function meetingRecord(id: number, given: Fields = {}): Fields {
  return { ...meeting, id, ...given };
}

export function userRecord(user: ReturnType<typeof aUser>): Fields {
  const { id, uuid, email, firstName, lastName } = user;
  return { kind: 'user', id, uuid, email, first_name: firstName, last_name: lastName };
}

/** The rules of a deployment that keeps access keys as they are. */
export const rules = { ...importRules, accessKeyHashes: (accessKey: string) => [accessKey] };

export async function importRecords(
  { database }: StoredTestService,
  records: readonly Fields[],
): Promise<void> {
  await importInto(database, records, { rules });
}

export async function importError(
  service: StoredTestService,
  records: readonly Fields[],
): Promise<readonly unknown[]> {
  return importRecords(service, records).then(
    () => ['imported'],
    ({ line, field, message }: DatasetError) => [line, field, message],
  );
}

export async function readEmails({ database }: StoredTestService): Promise<readonly string[]> {
  const rows = await database.read.all<{ email: string }>('SELECT email FROM users ORDER BY id');
  return rows.map(({ email }) => email);
}

/** The users with their numbers, and the users that other rows refer to. */
export async function readPeople({ database }: StoredTestService) {
  const people = await database.read.rows(
    `SELECT email, users.id, first_name, platform_id FROM users
    LEFT JOIN platform_numbers ON user_id = users.id ORDER BY users.id`,
  );
  const references = await database.read.all<{ user_id: number }>(
    `SELECT group_leader_id AS user_id FROM meetings WHERE group_leader_id IS NOT NULL
    UNION ALL SELECT user_id FROM registrations UNION ALL SELECT user_id FROM waitlist_entries`,
  );
  return { people: people.map((row) => [...row]), references: references.map(({ user_id }) => user_id) };
}
