import { maxApiCalls } from '@rollcall/core/rules';
import { createKeyring } from '#adapters/node/crypto/keyring.js';
import { keyedSecrets } from '#adapters/node/crypto/secrets.js';
import type { Database } from '#adapters/sql/index.js';
import { eventName } from '#core/testing/subscribe.js';
import { insertMeetings, insertRows } from './stored-meetings.js';

/** The size of the large organization. A small one has a hundredth of its meetings, and one member. */
export interface LargeOrganization {
  readonly meetings: number;
  readonly people: number;
  /** The number of upcoming meetings for which one member is registered. */
  readonly upcoming: number;
  /** The number of deliveries, and of entries in the audit trail. */
  readonly logged: number;
}

/** Credentials for the generated data. */
export type LargeKeys = Awaited<ReturnType<typeof fillLargeOrganization>>;

export const largeSecretKey = 'the secret key of a large organization, 32+ characters';

const DAY_MS = 24 * 60 * 60 * 1000;
const description = 'A quiet hour, "quotes", commas, and äöü; tea is provided. '.repeat(12);

/** Fills a migrated SQLite file. Its times are relative to now, because a server with the real clock reads them. */
export async function fillLargeOrganization(
  database: Database,
  { meetings, people, upcoming, logged }: LargeOrganization,
) {
  const secrets = keyedSecrets(createKeyring({ secretKey: largeSecretKey, previousSecretKeys: [] }));
  const now = new Date();
  const time = now.toISOString();
  const at = (days: string): string => `strftime('%Y-%m-%dT%H:%M:%S.000Z', '${time}', (${days}) || ' days')`;
  const uuid = (kind: number): string => `printf('%08x-000${kind}-4000-8000-%012x', n, n)`;
  const past = Math.floor(meetings * 0.8);
  const accessKeys = { large: '4'.repeat(24), small: '5'.repeat(24) };
  const [large, member, small] = [
    secrets.newToken('session'),
    secrets.newToken('session'),
    secrets.newToken('session'),
  ];
  const feed = secrets.newToken('calendar');
  const smallPerson = people + 1;

  // Eight of ten meetings are completed and the others upcoming. One of three belongs to the program.
  const meetingsOf = (organizationId: number): string =>
    insertMeetings({
      ...{ id: 'n', organization_id: String(organizationId), name: `'Meeting ' || n` },
      start_time: at(`n * 1.0 / ${past} * 700 - 700`),
      end_time: at(`n * 1.0 / ${past} * 700 - 699`),
      status: `CASE WHEN n % ${meetings} < ${past} THEN 'complete' ELSE 'scheduled' END`,
      ...{ topic: `'Grief'`, host: `'Dana K.'`, max_attendees: '12', eap: 'n % 3 = 0' },
      ...{ meeting_description: `'${description}'`, updated_at: `'${time}'` },
    });
  await insertRows(database, [
    [1, 2, `INSERT INTO organizations (id, name, eap) SELECT n, 'Organization ' || n, n = 1`],
    [
      1,
      smallPerson,
      `INSERT INTO users (id, uuid, email, first_name, last_name, created_at)
        SELECT n, ${uuid(1)}, 'person' || n || '@large.test', 'Firstname' || n, 'Lastname' || (n % 100), '${time}'`,
      `INSERT INTO memberships (organization_id, user_id, uuid, role, idp_id, created_at)
        SELECT CASE WHEN n = ${smallPerson} THEN 2 ELSE 1 END, n, ${uuid(1)},
          CASE WHEN n IN (1, ${smallPerson}) THEN 'owner' ELSE 'member' END, 'idp-' || n, '${time}'`,
    ],
    [
      1,
      people,
      `INSERT INTO invitations (id, organization_id, user_uuid, email, first_name, last_name, key_id, created_at, accepted_at, revoked_at)
        SELECT ${uuid(2)}, 1, ${uuid(3)}, 'i' || n || '@large.test', 'F', 'L', 'key', ${at('n % 300 - 300')},
          CASE WHEN n % 3 = 0 THEN '${time}' END, CASE WHEN n % 3 = 1 THEN '${time}' END`,
    ],
    [1, meetings, meetingsOf(1)],
    [meetings + 1, meetings + Math.floor(meetings / 100), meetingsOf(2)],
    // The member is registered for the last meetings, which are furthest in the future.
    [
      meetings - upcoming + 1,
      meetings,
      `INSERT INTO registrations SELECT n, 1, '${time}', end_time FROM numbers CROSS JOIN meetings ON meetings.id = n`,
    ],
    // Each of the most recent past meetings has twelve other registrations.
    [
      past - Math.min(past - 1, 10_000),
      past,
      `INSERT INTO registrations SELECT n, 2 + others.value, '${time}', end_time
        FROM numbers CROSS JOIN meetings ON meetings.id = n CROSS JOIN json_each('[0,1,2,3,4,5,6,7,8,9,10,11]') AS others`,
    ],
    [
      1,
      2,
      `INSERT INTO webhooks (id, organization_id, url, enabled, events, sealed_secret, created_at, updated_at)
        SELECT n, n, 'https://large.test/', 1, '["${eventName}"]', 'sealed', '${time}', '${time}'`,
    ],
    [
      1,
      logged,
      `INSERT INTO deliveries (id, organization_id, event_id, event_name, body, state, created_at, claims, finished_at)
        SELECT n, 1, ${uuid(4)}, '${eventName}', '{"event":"${eventName}","filler":"' || hex(zeroblob(200)) || '"}',
          CASE WHEN n % 1000 = 1 THEN 'failed' ELSE 'delivered' END, ${at(`n * 29.0 / ${logged} - 29`)}, 1, '${time}'`,
      `INSERT INTO attempts (delivery_id, number, started_at, duration, outcome, phase, status, reason)
      SELECT n, 1, '${time}', 1.5, CASE WHEN n % 1000 = 1 THEN 'failed' ELSE 'delivered' END,
          'answer', 200, 'answered 200'`,
      `INSERT INTO audit_entries (id, organization_id, at, who, user_id, from_address, action, subject, about_user_id)
        SELECT n, 1, ${at('n % 365 - 365')}, 'user', 1 + n % ${people}, '127.0.0.1', 'role-changed',
          'person' || (1 + n % ${people}) || '@large.test: member → admin', 1 + n % ${people}`,
    ],
    [
      1,
      maxApiCalls,
      `INSERT INTO api_calls (organization_id, at, method, operation, path, status, request_id, milliseconds)
        SELECT 1, '${time}', 'GET', 'listUsers', '/api/v2/organizations/1/users?email', 200, ${uuid(5)}, n`,
    ],
  ]);
  await database.write(async (sql) => {
    for (const [id, key] of [
      [1, accessKeys.large],
      [2, accessKeys.small],
    ] as const)
      await sql.run(
        'UPDATE organizations SET access_key_hash = ?, access_key_generation = 1, access_key_created_at = ? WHERE id = ?',
        [secrets.accessKeyHashes(key)[0] ?? '', time, id],
      );
    for (const [user, { hash }] of [
      [1, large],
      [2, member],
      [smallPerson, small],
    ] as const)
      await sql.run('INSERT INTO sessions (hash, user_id, opened_at, seen_at) VALUES (?, ?, ?, ?)', [
        ...[hash, user],
        ...[time, new Date(now.getTime() + DAY_MS / 100).toISOString()],
      ]);
    await sql.run(
      'INSERT INTO calendar_feeds (organization_id, user_id, hash, created_at) VALUES (1, 1, ?, ?)',
      [feed.hash, time],
    );
  });
  return {
    accessKeys,
    /** Values of the session cookie for an owner of each organization, and for a member of the large one. */
    sessions: {
      large: large.token.reveal(),
      member: member.token.reveal(),
      small: small.token.reveal(),
    },
    /** The path of the calendar feed of the member with the many meetings. */
    feed: `/calendar/${feed.token.reveal()}.ics`,
  };
}
