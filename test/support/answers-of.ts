import assert from 'node:assert/strict';
import { exportColumns } from '@rollcall/core/rules';
import { aMeeting, anOrganization, aUser, countedIds } from '@rollcall/core/testing';
import type { Database } from '#adapters/sql/index.js';
import { eventName } from '#core/testing/subscribe.js';
import type { Sent } from './http/client.js';
import { securedCalls } from './http/operations.js';
import { startHttpService } from './http/service.js';
import { wrongKeyLimit } from './wrong-key-limit.js';

const everyColumn = exportColumns.map(({ key }) => `column=${key}`).join('&');
/** Texts with every character that SQL, JSON, CSV or COPY gives a meaning. */
const texts = [`'a\\"b', "\\n" \\\\`, '=1+1;\t\r\n\v\b\f', 'Zoë Ōno 漢字 😀 \\u0041', '%_!\\%', ''];
const at = (text: string): Date => new Date(text);

const calls: readonly (readonly [path: string, accept: string])[] = [
  ...['application/json', 'text/csv', 'application/x-ndjson'].flatMap((accept) =>
    ['', '&per_page=2&page=2', '&per_page=2&page=1'].map(
      (page) => [`/export_meetings?${everyColumn}&reporting_days=all_past${page}`, accept] as const,
    ),
  ),
  ...[
    `/meeting_changes?${everyColumn}`,
    `/meeting_changes?${everyColumn}&limit=2`,
    '/export_meetings?column=name&reporting_days=all_upcoming',
    '/users?search=zo%C3%AB',
    '/users?limit=2',
    '/events?limit=2',
    '/webhook/deliveries?state=delivered&limit=1',
    '/webhook/deliveries',
  ].map((path) => [path, 'application/json'] as const),
];

/**
 * Fills an empty database, calls every operation that needs a token, exports in all forms, and delivers webhooks. Returns
 * what was answered and sent, without values that differ each time.
 */
export async function answersOf(database: Database): Promise<readonly string[]> {
  const service = await startHttpService({
    database,
    settings: wrongKeyLimit(0),
    ports: { ids: countedIds() },
  });
  const answers: string[] = [];
  try {
    await service.load({
      organizations: [anOrganization(1, { name: `O'Neil \\ "Sons"` })],
      users: [91, 92, 93].map((id) => aUser(id, { firstName: 'Zoë', lastName: texts[0] ?? '' })),
      memberships: [91, 92, 93].map((id) => ({
        organizationId: 1,
        userId: id,
        role: 'member' as const,
        idpId: `idp-${id - 90}`,
      })),
      meetings: texts.flatMap((text, index) => [
        aMeeting(index + 1, {
          ...{ name: text, topic: text, description: text, price: 0.1 * index, groupLeaderId: 91 },
          ...{ startTime: at('2026-10-25T00:59:59.001Z'), endTime: at('2026-10-25T01:59:59.999Z') },
          status: 'complete',
        }),
        aMeeting(index + 101, {
          ...{
            name: text,
            startTime: at('2026-12-01T18:00:00.000Z'),
            endTime: at('2026-12-01T19:00:00.000Z'),
          },
        }),
      ]),
      registrations: [{ meetingId: 101, userId: 91, registeredAt: at('2026-11-01T10:00:00.000Z') }],
      waitingPlaces: [],
    });
    const { get, post, patch, remove } = await service.signIn(1);
    const called = async (method: string, path: string, { json, ...sent }: Sent): Promise<void> => {
      const send = { GET: get, DELETE: remove }[method] ?? null;
      const withBody = method === 'POST' ? post : patch;
      const { status, text } = await (send === null ? withBody(path, json, sent) : send(path, sent));
      answers.push(`${method} ${path} ${status} ${text.replace(generated, '…')}`);
    };
    const deliver = async (): Promise<void> => {
      await Promise.all(await service.core.deliverWebhooks({ limit: 10 }));
    };
    const webhook = { url: 'https://hooks.northwind.test/x', enabled: true, events: [eventName] };
    await called('POST', '/webhook', { json: { webhook } });
    for (const [index, lastName] of ['Ōno 漢字 😀 \\u0041', `O'Neil \\%_!`, 'Kim'].entries()) {
      const person = { email: `new-${index}@example.test`, firstName: 'Zoë', lastName };
      await service.core.registerUser({ organizationId: 1, ...person });
      await deliver();
    }
    for (const [path, accept] of calls) await called('GET', path, { headers: { Accept: accept } });
    for (const { method, path, sent } of securedCalls) await called(method, path, sent);
    await deliver();
    answers.push(...service.webhookSender.sent.map(({ body }) => String(body)));
    assert.deepEqual(service.reports, []);
  } finally {
    await service.stop();
  }
  return answers;
}

/** Generated secrets, signatures made with them, and cursors of changes, which contain the time of the import. */
const generated =
  /whsec_[\w+/]+=*|(?<=\/(?:login|invitations)\/)[\w.-]{20,}|(?<=[Ss]ignature":")[^"]+|(?<="next":")WyJtZWV0aW5nLWNoYW5nZXMi\w+/g;
