import { type Database, only } from '../engine/database.js';
import { raw } from '../engine/sql-text.js';
import { select } from '../engine/statements.js';

interface OrganizationContents {
  readonly counts: Readonly<Record<string, number>>;
  /** The number of members who belong to no other organization. */
  readonly withoutAnother: number;
}

const owned = (table: string) => `SELECT count(*) FROM ${table} WHERE organization_id = target.id`;

const ownedIn = (...tables: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(tables.map((table) => [table, owned(table)]));

const contents = {
  members: owned('memberships'),
  ...ownedIn('invitations', 'meetings'),
  registrations: `SELECT count(*) FROM meetings JOIN registrations ON registrations.meeting_id = meetings.id
    WHERE meetings.organization_id = target.id`,
  access_keys: 'SELECT count(access_key_hash) FROM organizations WHERE id = target.id',
  ...ownedIn('webhooks', 'deliveries', 'events', 'login_links', 'calendar_feeds', 'directory_people'),
  ...ownedIn('directory_tokens', 'identities', 'setup_links', 'sign_on', 'mails', 'audit_entries'),
  without_another: `SELECT count(*) FROM memberships WHERE organization_id = target.id AND NOT EXISTS (
    SELECT 1 FROM memberships AS others
    WHERE others.user_id = memberships.user_id AND others.organization_id <> target.id)`,
};

/** Counts what belongs to an organization. */
export async function organizationContents(
  { readAside }: Pick<Database, 'readAside'>,
  organizationId: number,
): Promise<OrganizationContents> {
  const columns = Object.entries(contents).map(([name, text]) => `(${text}) AS ${name}`);
  const rows = await select<Record<keyof typeof contents, number>>(readAside(organizationId))`
    SELECT ${raw(columns.join(', '))} FROM (SELECT CAST(${organizationId} AS BIGINT) AS id) AS target`;
  const { without_another: withoutAnother, ...counts } = only(rows);
  return { counts, withoutAnother };
}

/** The ids of an organization's own meetings. */
export async function ownMeetings(
  { readAside }: Pick<Database, 'readAside'>,
  organizationId: number,
): Promise<readonly number[]> {
  const rows = await select<{ readonly id: number }>(readAside(organizationId))`SELECT id FROM meetings
    WHERE organization_id = ${organizationId}`;
  return rows.map(({ id }) => id);
}
