import type { Database } from '#adapters/sql/index.js';
import { eventName } from '#core/testing/subscribe.js';
import { insertMeetings, insertRows } from './stored-meetings.js';

/** An SQL expression for a time the given number of days from 2026-11-20. */
const daysFromNow = (days: string): string =>
  `strftime('%Y-%m-%dT%H:%M:%S.000Z', '2026-11-20 18:00:00', (${days}) || ' days')`;
const uuid = (number: string, kind: number): string =>
  `printf('%08x-000${kind}-4000-8000-%012x', ${number}, ${number})`;

const CREATED_AT = '2026-11-20T12:00:00.000Z';
const REQUEST = JSON.stringify({ url: 'https://partner.test/hooks', headers: { 'X-Text': 'x'.repeat(300) } });
const RESPONSE = JSON.stringify({ headers: {}, body: 'y'.repeat(300), isTruncated: false });
const ORGANIZATIONS = 1000;

/**
 * Fills an SQLite database with this many meetings, and with many rows in all tables that grow. The first organization
 * has six of ten meetings and members, and a third of the ties to service meetings.
 */
export async function fillLarge(database: Database, meetings: number): Promise<void> {
  const users = Math.ceil(meetings / 5);
  const organization = `CASE WHEN n % 10 < 6 THEN 1 ELSE 1 + n % ${ORGANIZATIONS} END`;
  await insertRows(database, [
    [1, ORGANIZATIONS, `INSERT INTO organizations (id, name, eap) SELECT n, 'Organization ' || n, 1`],
    [
      1,
      users,
      `INSERT INTO users (id, uuid, email, first_name, last_name, created_at)
      SELECT n, ${uuid('n', 1)}, n || '@large.test', 'First', 'Last', '${CREATED_AT}'`,
      `INSERT INTO memberships (organization_id, user_id, uuid, role, idp_id, created_at)
      SELECT ${organization}, n, ${uuid('n', 1)}, 'member', 'idp-' || n, '${CREATED_AT}'`,
      `INSERT INTO invitations (id, organization_id, user_uuid, email, first_name, last_name, key_id, created_at, accepted_at)
      SELECT ${uuid('n', 2)}, ${organization}, ${uuid('n', 3)}, 'i' || n || '@large.test', 'F', 'L', 'key', '${CREATED_AT}',
        CASE WHEN n % 3 > 0 THEN '${CREATED_AT}' END`,
      `INSERT INTO login_links (hash, organization_id, user_id, created_at, expires_at)
      SELECT 'link ' || n, ${organization}, n, '${CREATED_AT}', '${CREATED_AT}'`,
      `INSERT INTO sessions (hash, user_id, opened_at, seen_at)
      SELECT 'session ' || n, n, '${CREATED_AT}', '${CREATED_AT}'`,
    ],
    [
      1,
      meetings,
      insertMeetings({
        ...{
          id: 'n',
          organization_id: `CASE WHEN n % 50 > 0 THEN ${organization} END`,
          name: `'Meeting ' || n`,
        },
        ...{ start_time: daysFromNow('n % 730 - 600'), end_time: daysFromNow('n % 730 - 599') },
        ...{ status: `CASE WHEN n % 730 < 600 THEN 'complete' ELSE 'scheduled' END`, eap: 'n % 3 = 0' },
        ...{ group_leader_id: `1 + n % ${users}`, wait_list: 'n % 2', updated_at: `'${CREATED_AT}'` },
      }),
    ],
    // Each service meeting is tied to the first organization and to two others.
    [
      1,
      Math.floor(meetings / 50),
      `INSERT INTO service_meeting_organizations SELECT n * 50, 1, start_time, '${CREATED_AT}' FROM numbers CROSS JOIN meetings WHERE id = n * 50`,
    ],
    [
      1,
      Math.floor(meetings / 50) * 2,
      `INSERT INTO service_meeting_organizations
      SELECT (n + 1) / 2 * 50, 2 + n % ${ORGANIZATIONS - 1}, start_time, '${CREATED_AT}' FROM numbers CROSS JOIN meetings WHERE id = (n + 1) / 2 * 50`,
    ],
    [
      1,
      meetings,
      `INSERT INTO registrations SELECT n, 1 + n % ${users}, '${CREATED_AT}', end_time FROM numbers CROSS JOIN meetings WHERE id = n`,
    ],
    [
      1,
      users,
      `INSERT INTO waitlist_entries SELECT n, 1 + n / 2, 'waiting', '${CREATED_AT}', end_time, NULL FROM numbers CROSS JOIN meetings WHERE id = n`,
    ],
    [
      1,
      ORGANIZATIONS,
      `INSERT INTO webhooks (id, organization_id, url, enabled, events, sealed_secret, created_at, updated_at)
      SELECT n, n, 'https://large.test/', 1, '["${eventName}"]', 'sealed', '${CREATED_AT}', '${CREATED_AT}'`,
    ],
    [
      1,
      users,
      `INSERT INTO deliveries (id, organization_id, event_id, event_name, body, state, created_at, claims, finished_at)
      SELECT n, ${organization}, ${uuid('n', 4)}, '${eventName}', '{}',
        CASE WHEN n % 100 = 1 THEN 'failed' WHEN n % 100 = 2 THEN 'pending' ELSE 'delivered' END,
        ${daysFromNow('n % 30 - 30')}, 1, CASE WHEN n % 100 <> 2 THEN '${CREATED_AT}' END`,
      `INSERT INTO webhook_outcomes (id, organization_id, state, finished_at)
      SELECT n, ${organization}, 'failed', '${CREATED_AT}'`,
      `INSERT INTO events (id, organization_id, event_id, event_name, body, created_at, position)
      SELECT n, ${organization}, ${uuid('n', 4)}, '${eventName}', '{}', ${daysFromNow('n % 30 - 30')},
        CASE WHEN n < ${users - 100} THEN n END`,
    ],
    [1, ORGANIZATIONS, `INSERT INTO event_feeds (organization_id, last_position) SELECT n, ${users}`],
    [
      1,
      users,
      `INSERT INTO audit_entries (id, organization_id, at, who, user_id, from_address, action, subject)
      SELECT n, ${organization}, ${daysFromNow('n % 365 - 365')}, 'user', n, '127.0.0.1', 'invitation-created', 'S'`,
      `INSERT INTO calendar_feeds (organization_id, user_id, hash, created_at)
      SELECT ${organization}, n, 'feed ' || n, '${CREATED_AT}'`,
      `INSERT INTO identities (organization_id, issuer, subject, user_id, linked_at, used_at)
      SELECT ${organization}, 'https://idp.test', 'subject ' || n, n, '${CREATED_AT}', '${CREATED_AT}'`,
      `INSERT INTO passkeys (credential_id, user_id, public_key, counter, transports, is_backed_up, name, created_at)
      SELECT 'passkey ' || n, n, 'key', 1, 'internal', n % 2 > 0, 'Phone', '${CREATED_AT}'`,
      `INSERT INTO code_secrets (user_id, sealed_secret, last_step, confirmed_at)
      SELECT n, 'v1.0123abcd.sealed', 1, '${CREATED_AT}'`,
      `INSERT INTO directory_people (organization_id, uuid, user_name, user_name_key, external_id, email, email_key,
        is_active, changed_at)
      SELECT ${organization}, ${uuid('n', 1)}, 'u' || n, 'u' || n, 'e' || n, 'd' || n || '@x.test', 'd' || n || '@x.test',
        n % 4 > 0, '${CREATED_AT}'`,
      `INSERT INTO directory_requests (organization_id, at, method, status, reason)
      SELECT ${organization}, ${daysFromNow('n % 30 - 30')}, 'PATCH', 200, 'Changed'`,
      `INSERT INTO attempts (delivery_id, number, started_at, duration, outcome, phase, status, reason, request, response)
      SELECT n, 1, '${CREATED_AT}', 1.5, 'delivered', 'answer', 200, 'answered 200', '${REQUEST}', '${RESPONSE}'`,
    ],
  ]);
}
