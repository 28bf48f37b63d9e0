import { randomUUID } from 'node:crypto';
import {
  type Actor,
  type Attempt,
  type AttemptResponse,
  type Core,
  createCore,
  Secret,
} from '@rollcall/core';
import { availableEvents } from '@rollcall/core/rules';
import type { CommandContext } from '../command-context.js';
import { sampleFacts } from '../sample/sample-facts.js';
import { sampleUuid } from '../sample/sample-uuid.js';

/** Events in the organization before the demo's first start, so that its pages have something to show. */

const { organization } = sampleFacts;
const owner: Actor = { who: { kind: 'user', userId: sampleFacts.owner.id }, from: '127.0.0.1' };
const admin: Actor = { who: { kind: 'user', userId: sampleFacts.admin.id }, from: '127.0.0.1' };

interface Outcome extends Omit<Attempt, 'startedAt'> {
  readonly response: AttemptResponse | null;
}

const delivered: Outcome = {
  duration: 84,
  outcome: 'delivered',
  phase: 'answer',
  status: 204,
  reason: 'answered 204',
  response: { headers: { Server: 'receiver' }, body: '', isTruncated: false },
};
const failed = { outcome: 'failed', status: null, response: null } as const;
const serverError: Outcome = {
  ...failed,
  duration: 212,
  phase: 'answer',
  status: 500,
  reason: 'answered 500',
  response: {
    headers: { 'Content-Type': 'application/json', 'Content-Length': '40' },
    body: '{"error":"The database is not available"}',
    isTruncated: false,
  },
};
const noConnection = 'no connection within 5 s';
const unreachable: Outcome = { ...failed, duration: 5003, phase: 'connect', reason: noConnection };
const untrusted: Outcome = { ...failed, duration: 61, phase: 'tls', reason: 'certificate not trusted' };

/** A person who was invited, and what happened next. Times are in days before now. */
interface Invitee {
  readonly firstName: string;
  readonly lastName: string;
  readonly by: Actor;
  readonly invited: number;
  readonly revoked?: number;
  readonly accepted?: number;
  /** When the owner made the person an admin. */
  readonly promoted?: number;
  /** How the receiver answered the event; each attempt is a day after the one before. */
  readonly attempts?: readonly Outcome[];
}

const invitees: readonly Invitee[] = [
  { firstName: 'Amara', lastName: 'Okafor', by: owner, invited: 12, accepted: 11.4, attempts: [delivered] },
  {
    firstName: 'Jonas',
    lastName: 'Weber',
    by: admin,
    invited: 10,
    accepted: 9.6,
    promoted: 4.5,
    attempts: [serverError, delivered],
  },
  { firstName: 'Priya', lastName: 'Nair', by: admin, invited: 7.8, revoked: 7.1 },
  {
    firstName: 'Lucía',
    lastName: 'Fernández',
    by: admin,
    invited: 7,
    accepted: 6.3,
    attempts: [unreachable],
  },
  { firstName: 'Noor', lastName: 'Haddad', by: owner, invited: 6.2, accepted: 5.2, attempts: [untrusted] },
  { firstName: 'Oskar', lastName: 'Lindholm', by: admin, invited: 3.9 },
  { firstName: 'さくら', lastName: '田中', by: admin, invited: 3.2, accepted: 2.3, attempts: [delivered] },
  { firstName: 'Sam', lastName: 'O’Neill', by: owner, invited: 2.1, accepted: 1.2, attempts: [delivered] },
  { firstName: 'Mei', lastName: 'Chen', by: admin, invited: 0.8 },
];

/** When the webhook was set up and tested. */
const WEBHOOK_SET_UP_DAYS = 13;
const DAY_MS = 24 * 60 * 60 * 1000;

type HistoryContext = Pick<CommandContext, 'ports' | 'coreOptions'>;

type TimeTravel = ReturnType<typeof timeTravel>;

/** Above the numbers of sample users. The UUIDs between those of two invitees are not used. */
const FIRST_UUID = 100_000;
const UUIDS_EACH = 100;

/** The use-cases at a time in the past, with a receiver whose answers are fixed. */
function timeTravel({ ports, coreOptions }: HistoryContext) {
  const present = ports.clock.now().getTime();
  let now = ports.clock.now();
  let outcome = delivered;
  let uuid = (): string => ports.ids.uuid();
  const core = createCore(
    {
      ...ports,
      // What happened long ago is not news.
      mailer: undefined,
      clock: { ...ports.clock, now: () => now },
      ids: { ...ports.ids, uuid: () => uuid() },
      dispatcher: { wake() {} },
      webhookSender: {
        refusalOf: () => null,
        send: async ({ url, headers }) => ({ ...outcome, request: { url, headers } }),
      },
    },
    coreOptions,
  );
  return {
    core,
    /** Sets the time to a number of days ago, and the receiver's next answers. Returns the time. */
    travelTo(daysAgo: number, next = delivered): Date {
      now = new Date(present - daysAgo * DAY_MS);
      outcome = next;
      return now;
    },
    /** From now on, UUIDs are those of the invitee with this index. The examples in the API's documents name one. */
    useUuidsOf(index: number): void {
      let last = FIRST_UUID + index * UUIDS_EACH;
      uuid = () => sampleUuid(++last);
    },
  };
}

/** Points the webhook to the receiver and tests it. To be called only if there is no webhook yet. */
export async function setUpWebhook(context: HistoryContext, url: string): Promise<void> {
  const { core, travelTo } = timeTravel(context);
  const webhook = { url, enabled: true, events: availableEvents };
  travelTo(WEBHOOK_SET_UP_DAYS);
  await core.configureWebhook({ organization, how: 'set', webhook, by: admin });
  await core.testWebhook({ organization, by: admin });
}

/** Calls of the organization's programs, the oldest first, each a minute after the one before. */
const calls = [
  ['POST', 'authenticate', 'authenticate', 200, 5],
  ['GET', 'listUsers', 'organizations/1/users?email', 200, 3],
  ['GET', 'exportMeetings', 'organizations/1/export_meetings?column&reporting_days', 400, 2],
  ['GET', 'exportMeetings', 'organizations/1/export_meetings?column&reporting_days', 200, 31],
] as const;

const refused = {
  errorCode: 'invalid-request',
  errorText: 'start_time and end_time are both required when reporting_days is custom',
};

/** Hours before now in which they were made. */
const CALLED_HOURS_AGO = 5;

/** Lists calls of the API, unless there were some. */
export async function callApi({ ports }: HistoryContext): Promise<void> {
  const { apiCalls, clock, ids, organizations } = ports;
  const organizationId = organization.id;
  if ((await apiCalls.latest(organizationId)).length > 0) return;
  const from = clock.now().getTime() - CALLED_HOURS_AGO * 60 * 60 * 1000;
  const key = await organizations.byId(organizationId);
  const used = { organizationId, generation: key?.accessKeyGeneration ?? 0, at: new Date(from) };
  await organizations.touchAccessKey(used);
  await apiCalls.add(
    calls.map(([method, operation, path, status, milliseconds], index) => ({
      ...{ organizationId, method, operation, status, milliseconds },
      ...(status === 400 ? refused : { errorCode: null, errorText: null }),
      ...{ path: `/api/v2/${path}`, requestId: ids.uuid(), at: new Date(from + index * 60_000) },
    })),
  );
}

/** Invites each invitee who was not invited yet, and replays what happened next. */
export async function invitePeople(context: HistoryContext): Promise<void> {
  const travel = timeTravel(context);
  const known = await invitedAddresses(travel.core);
  for (const [index, invitee] of invitees.entries()) {
    if (known.has(addressOf(invitee))) continue;
    travel.useUuidsOf(index);
    await replay(travel, invitee);
  }
}

async function replay({ core, travelTo }: TimeTravel, invitee: Invitee): Promise<void> {
  const { firstName, lastName, by, accepted, promoted, revoked, attempts = [] } = invitee;
  travelTo(invitee.invited);
  const email = addressOf(invitee);
  const { invitationUrl, uuid } = await core.inviteUser({ organization, email, firstName, lastName, by });
  if (revoked !== undefined) {
    travelTo(revoked);
    const { items } = await core.listInvitations({ organization });
    const invitationId = items.find(({ userUuid }) => userUuid === uuid)?.id ?? '';
    await core.revokeInvitation({ organization, invitationId, by });
  }
  if (accepted === undefined) return;
  const since = travelTo(accepted);
  const token = new URL(invitationUrl).pathname.split('/').at(-1) ?? '';
  // No one signs in as these people, so no one needs the password.
  const person = { is: 'new', firstName, lastName, password: new Secret(randomUUID()) } as const;
  await core.acceptInvitation({ token, person, address: '127.0.0.1' });
  for (const [index, outcome] of attempts.entries()) {
    travelTo(accepted - index, outcome);
    if (index > 0) await core.redeliverFailed({ organization, since, by: admin });
    await Promise.all(await core.deliverWebhooks({ limit: 10 }));
  }
  if (promoted === undefined) return;
  travelTo(promoted);
  const { user } = await core.readUser({ organization, uuid });
  await core.changeRole({ organization, userId: user.id, role: 'admin', by: owner });
}

/** The addresses of all people who were ever invited. */
async function invitedAddresses(core: Core): Promise<ReadonlySet<string>> {
  const addresses = new Set<string>();
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const { items, totalPages } = await core.listInvitations({ organization, page, size: 100 });
    for (const { email } of items) addresses.add(email);
    pages = totalPages;
  }
  return addresses;
}

const latinSpelling: Readonly<Record<string, string>> = { さくら: 'sakura', 田中: 'tanaka' };

function addressOf({ firstName, lastName }: Invitee): string {
  const [first, last] = [firstName, lastName].map((name) =>
    (latinSpelling[name] ?? name)
      .normalize('NFD')
      .replaceAll(/[^a-z]/gi, '')
      .toLowerCase(),
  );
  return `${first}.${last}@example.test`;
}
