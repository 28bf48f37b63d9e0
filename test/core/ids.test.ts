import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Actor,
  type Core,
  createCore,
  type Organization,
  Refusal,
  type RefusalCode,
} from '@rollcall/core';
import { anOrganization, aUser, memoryPorts } from '@rollcall/core/testing';

type UseCase = keyof Core;

/** One argument that is an id: how to pass it, and what a call with an id that no record can have does. */
interface Argument {
  readonly name: string;
  call(core: Core, id: never): Promise<unknown>;
  /** A refusal's code; `TypeError`, which must name the argument; or a result. */
  readonly expected: RefusalCode | 'TypeError' | { readonly result: unknown };
  /** Of UUIDs, only texts that are not one are wrong. */
  readonly isUuid?: true;
}

const one = { id: 1 };
const person = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' };
const uuid = aUser(1).uuid;
const since = new Date(0);
const webhook = { url: 'https://partner.test/hooks', enabled: true, events: ['user.registered'] };
const actor = (userId: number): Actor => ({ who: { kind: 'user', userId }, from: null });
const whole = (id: number): Organization => ({
  ...anOrganization(1),
  ...{ id, timeZone: null, accessKeyGeneration: 0 },
});

/** The argument `organization`. */
function ofOrganization(
  expected: Argument['expected'],
  call: (core: Core, id: number) => Promise<unknown>,
): Argument {
  return { name: 'organization.id', expected, call };
}

/** The argument `by`, which every use-case that changes something takes. */
function byUser(call: (core: Core, by: Actor) => Promise<unknown>): Argument {
  return { name: 'by.who.userId', expected: 'TypeError', call: (core, id) => call(core, actor(id)) };
}

function bare(
  name: string,
  expected: Argument['expected'],
  call: (core: Core, id: number) => Promise<unknown>,
): Argument {
  return { name, expected, call };
}

function uuidArgument(
  name: string,
  expected: Argument['expected'],
  call: (core: Core, id: string) => Promise<unknown>,
): Argument {
  return { name, expected, call, isUuid: true };
}

/** Every use-case with each of its arguments that is an id. A new use-case does not compile before it is here. */
const useCases: Readonly<Record<UseCase, readonly Argument[]>> = {
  authenticate: [],
  authorize: [],
  generateAccessKey: [
    bare('organizationId', 'organization-not-found', (core, organizationId) =>
      core.generateAccessKey({ organizationId }),
    ),
    byUser((core, by) => core.generateAccessKey({ organizationId: 1, by })),
  ],
  createOrganization: [],
  listOrganizations: [],
  authorizeMember: [
    bare('organizationId', 'organization-not-found', (core, organizationId) =>
      core.authorizeMember({ session: { user: aUser(1), boundTo: null }, organizationId, role: 'member' }),
    ),
    bare('session.user.id', 'TypeError', (core, id) =>
      core.authorizeMember({
        session: { user: { ...aUser(1), id }, boundTo: null },
        organizationId: 1,
        role: 'member',
      }),
    ),
  ],
  readAccessKey: [ofOrganization('TypeError', (core, id) => core.readAccessKey({ organization: { id } }))],
  setTimeZone: [
    ofOrganization('organization-not-found', (core, id) =>
      core.setTimeZone({ organization: { id }, timeZone: null }),
    ),
    byUser((core, by) => core.setTimeZone({ organization: one, timeZone: null, by })),
  ],
  listActivity: [ofOrganization('TypeError', (core, id) => core.listActivity({ organization: { id } }))],
  inviteUser: [
    ofOrganization('organization-not-found', (core, id) =>
      core.inviteUser({ organization: { id }, ...person }),
    ),
    byUser((core, by) => core.inviteUser({ organization: one, ...person, by })),
  ],
  readPendingInvitation: [],
  acceptInvitation: [],
  registerUser: [
    bare('organizationId', 'organization-not-found', (core, organizationId) =>
      core.registerUser({ organizationId, ...person }),
    ),
  ],
  issueLoginLink: [
    ofOrganization('user-not-found', (core, id) => core.issueLoginLink({ organization: { id }, uuid })),
    uuidArgument('uuid', 'user-not-found', (core, id) =>
      core.issueLoginLink({ organization: one, uuid: id }),
    ),
    byUser((core, by) => core.issueLoginLink({ organization: one, uuid, by })),
  ],
  readLoginLink: [],
  redeemLoginLink: [],
  signIn: [],
  signOut: [],
  resumeSession: [],
  createUser: [],
  setEmail: [byUser((core, by) => core.setEmail({ email: person.email, to: 'kim@example.test', by }))],
  setPassword: [],
  addMember: [
    bare('organizationId', 'organization-not-found', (core, organizationId) =>
      core.addMember({ organizationId, email: person.email, role: 'member', idpId: null }),
    ),
  ],
  listMemberships: [bare('userId', 'TypeError', (core, userId) => core.listMemberships({ userId }))],
  listMembers: [ofOrganization('TypeError', (core, id) => core.listMembers({ organization: { id } }))],
  readMember: [
    ofOrganization('member-not-found', (core, id) => core.readMember({ organization: { id }, userId: 1 })),
    bare('userId', 'member-not-found', (core, userId) => core.readMember({ organization: one, userId })),
  ],
  changeRole: [
    ofOrganization('member-not-found', (core, id) =>
      core.changeRole({ organization: { id }, userId: 1, role: 'admin' }),
    ),
    bare('userId', 'member-not-found', (core, userId) =>
      core.changeRole({ organization: one, userId, role: 'admin' }),
    ),
    byUser((core, by) => core.changeRole({ organization: one, userId: 1, role: 'admin', by })),
  ],
  removeMember: [
    ofOrganization('member-not-found', (core, id) => core.removeMember({ organization: { id }, userId: 1 })),
    bare('userId', 'member-not-found', (core, userId) => core.removeMember({ organization: one, userId })),
    byUser((core, by) => core.removeMember({ organization: one, userId: 1, by })),
  ],
  changePassword: [],
  inviteUsers: [
    ofOrganization({ result: [['organization.id', 'unknown']] }, async (core, id) => {
      const lines = await core.inviteUsers({ organization: { id }, text: 'dana@example.test,Dana,Kim' });
      return lines.flatMap(({ problems }) => problems.map(({ field, code }) => [field, code]));
    }),
    byUser((core, by) => core.inviteUsers({ organization: one, text: 'dana@example.test,Dana,Kim', by })),
  ],
  listInvitations: [
    ofOrganization('TypeError', (core, id) => core.listInvitations({ organization: { id } })),
  ],
  readInvitation: [
    ofOrganization('invitation-unknown', (core, id) => core.readInvitation({ organization: { id }, uuid })),
    uuidArgument('uuid', 'invitation-unknown', (core, id) =>
      core.readInvitation({ organization: one, uuid: id }),
    ),
  ],
  revokeInvitation: [
    ofOrganization('invitation-unknown', (core, id) =>
      core.revokeInvitation({ organization: { id }, invitationId: uuid }),
    ),
    uuidArgument('invitationId', 'invitation-unknown', (core, invitationId) =>
      core.revokeInvitation({ organization: one, invitationId }),
    ),
    byUser((core, by) => core.revokeInvitation({ organization: one, invitationId: uuid, by })),
  ],
  renewInvitation: [
    ofOrganization('invitation-unknown', (core, id) =>
      core.renewInvitation({ organization: { id }, invitationId: uuid }),
    ),
    uuidArgument('invitationId', 'invitation-unknown', (core, invitationId) =>
      core.renewInvitation({ organization: one, invitationId }),
    ),
    byUser((core, by) => core.renewInvitation({ organization: one, invitationId: uuid, by })),
  ],
  listUpcomingMeetings: [
    ofOrganization('member-not-found', (core, id) =>
      core.listUpcomingMeetings({ organization: { id }, idpId: 'dana' }),
    ),
    bare('idpId', 'member-not-found', (core, id) =>
      core.listUpcomingMeetings({ organization: one, idpId: id as unknown as string }),
    ),
  ],
  listOwnMeetings: [
    bare('organizationId', 'member-not-found', (core, organizationId) =>
      core.listOwnMeetings({ organizationId, userId: 1 }),
    ),
    bare('userId', 'member-not-found', (core, userId) => core.listOwnMeetings({ organizationId: 1, userId })),
  ],
  exportMeetings: [
    ofOrganization('TypeError', (core, id) =>
      core.exportMeetings({ organization: whole(id), columns: ['name'] }),
    ),
  ],
  previewExport: [
    ofOrganization('TypeError', (core, id) =>
      core.previewExport({ organization: whole(id), columns: ['name'] }),
    ),
  ],
  summarizeMeetings: [
    ofOrganization('TypeError', (core, id) => core.summarizeMeetings({ organization: whole(id) })),
  ],
  createCalendarFeed: [
    bare('organizationId', 'member-not-found', (core, organizationId) =>
      core.createCalendarFeed({ organizationId, userId: 1 }),
    ),
    bare('userId', 'member-not-found', (core, userId) =>
      core.createCalendarFeed({ organizationId: 1, userId }),
    ),
  ],
  findCalendarFeed: [
    bare('organizationId', 'TypeError', (core, organizationId) =>
      core.findCalendarFeed({ organizationId, userId: 1 }),
    ),
    bare('userId', 'TypeError', (core, userId) => core.findCalendarFeed({ organizationId: 1, userId })),
  ],
  revokeCalendarFeed: [
    bare('organizationId', 'TypeError', (core, organizationId) =>
      core.revokeCalendarFeed({ organizationId, userId: 1 }),
    ),
    bare('userId', 'TypeError', (core, userId) => core.revokeCalendarFeed({ organizationId: 1, userId })),
  ],
  readCalendarFeed: [],
  readCalendarMeeting: [
    bare('organizationId', 'member-not-found', (core, organizationId) =>
      core.readCalendarMeeting({ organizationId, userId: 1, meetingId: 1 }),
    ),
    bare('userId', 'member-not-found', (core, userId) =>
      core.readCalendarMeeting({ organizationId: 1, userId, meetingId: 1 }),
    ),
    bare('meetingId', 'meeting-not-found', (core, meetingId) =>
      core.readCalendarMeeting({ organizationId: 1, userId: 1, meetingId }),
    ),
  ],
  readWebhook: [ofOrganization('TypeError', (core, id) => core.readWebhook({ organization: { id } }))],
  configureWebhook: [
    ofOrganization('organization-not-found', (core, id) =>
      core.configureWebhook({ organization: { id }, how: 'set', webhook }),
    ),
    byUser((core, by) => core.configureWebhook({ organization: one, how: 'set', webhook, by })),
  ],
  deliverWebhooks: [],
  recoverDeliveries: [],
  listDeliveries: [
    ofOrganization('TypeError', (core, id) => core.listDeliveries({ organization: { id } })),
    uuidArgument('eventId', { result: { deliveries: [], older: null } }, (core, eventId) =>
      core.listDeliveries({ organization: one, eventId }),
    ),
  ],
  redeliver: [
    ofOrganization('delivery-not-found', (core, id) =>
      core.redeliver({ organization: { id }, deliveryId: 1 }),
    ),
    bare('deliveryId', 'delivery-not-found', (core, deliveryId) =>
      core.redeliver({ organization: one, deliveryId }),
    ),
    bare('deliveryId of any organization', 'delivery-not-found', (core, deliveryId) =>
      core.redeliver({ organization: null, deliveryId }),
    ),
    byUser((core, by) => core.redeliver({ organization: one, deliveryId: 1, by })),
  ],
  redeliverFailed: [
    ofOrganization('TypeError', (core, id) => core.redeliverFailed({ organization: { id }, since })),
    byUser((core, by) => core.redeliverFailed({ organization: one, since, by })),
  ],
  redeliverMatching: [
    ofOrganization('TypeError', (core, id) =>
      core.redeliverMatching({ organization: { id }, states: ['failed'] }),
    ),
    byUser((core, by) => core.redeliverMatching({ organization: one, states: ['failed'], by })),
  ],
  countDeliveries: [
    ofOrganization('TypeError', (core, id) =>
      core.countDeliveries({ organization: { id }, states: ['failed'] }),
    ),
  ],
  dropHeld: [
    ofOrganization('TypeError', (core, id) => core.dropHeld({ organization: { id } })),
    byUser((core, by) => core.dropHeld({ organization: one, by })),
  ],
  readDelivery: [
    ofOrganization('delivery-not-found', (core, id) =>
      core.readDelivery({ organization: { id }, deliveryId: 1 }),
    ),
    bare('deliveryId', 'delivery-not-found', (core, deliveryId) =>
      core.readDelivery({ organization: one, deliveryId }),
    ),
  ],
  testWebhook: [
    ofOrganization('TypeError', (core, id) => core.testWebhook({ organization: { id, name: 'Acme' } })),
    byUser((core, by) => core.testWebhook({ organization: { id: 1, name: 'Acme' }, by })),
  ],
  readWebhookHealth: [
    ofOrganization('TypeError', (core, id) => core.readWebhookHealth({ organization: { id } })),
  ],
};

const notTexts: readonly unknown[] = [null, Number.NaN, 1.5, true, {}, [1], 1n];
const impossibleIds: readonly unknown[] = [
  ...notTexts,
  undefined,
  0,
  -1,
  2 ** 53,
  Number.POSITIVE_INFINITY,
  '1',
  '',
];
const impossibleUuids: readonly unknown[] = [...notTexts, 1, '', 'dana', `${uuid}0`, ` ${uuid}`];

/** A core whose ports all fail, and the names of those that were called. */
function spiedCore(): { readonly core: Core; readonly called: readonly string[] } {
  const called: string[] = [];
  const ports = Object.entries(memoryPorts().ports).map(([name, port]) => [name, spied(name, port, called)]);
  const links = { invitation: () => '', login: () => '', calendar: () => '', defaultAvatar: '' };
  return { core: createCore(Object.fromEntries(ports), { links }), called };
}

function spied(name: string, port: object, called: string[]): object {
  return new Proxy(port, {
    get(target, member) {
      const value = Reflect.get(target, member);
      if (typeof value !== 'function') return value;
      return () => {
        called.push(`${name}.${String(member)}`);
        throw new Error(`${name}.${String(member)} was called`);
      };
    },
  });
}

async function outcomeOf(calling: Promise<unknown>): Promise<unknown> {
  try {
    return { result: await calling };
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    return error instanceof TypeError ? `TypeError: ${error.message}` : error;
  }
}

describe('An id that no record can have reaches no port', () => {
  for (const [useCase, idArguments] of Object.entries(useCases)) {
    for (const { name, call, expected, isUuid } of idArguments) {
      test(`${useCase}: ${name}`, async () => {
        const ids = isUuid ? impossibleUuids : name === 'idpId' ? notTexts : impossibleIds;
        for (const id of ids) {
          const { core, called } = spiedCore();
          const outcome = await outcomeOf(call(core, id as never));
          if (expected === 'TypeError') {
            const message = `TypeError: ${name} must be a whole number from 1 to 2^53 - 1, not ${typeof id === 'number' ? id : typeof id}`;
            assert.equal(outcome, message);
          } else assert.deepEqual(outcome, expected, String(id));
          assert.deepEqual(called, []);
        }
      });
    }
  }

  test('a possible id reaches one', async () => {
    for (const [useCase, idArguments] of Object.entries(useCases)) {
      for (const { name, call, isUuid } of idArguments) {
        const { core, called } = spiedCore();
        await outcomeOf(call(core, (isUuid ? uuid : name === 'idpId' ? 'dana' : 7) as never));
        assert.ok(called.length > 0, `${useCase}: ${name}`);
      }
    }
  });

  test('only null means every organization: one without an id and one left out do not', async () => {
    const nothing = undefined as unknown as null;
    const calls: readonly ((core: Core, given: null) => Promise<unknown>)[] = [
      (core, given) => core.listDeliveries({ organization: given }),
      (core, given) => core.redeliver({ organization: given, deliveryId: 1 }),
      (core, given) => core.redeliverFailed({ organization: given, since }),
      (core, given) => core.redeliverMatching({ organization: given, states: ['failed'] }),
      (core, given) => core.countDeliveries({ organization: given, states: ['failed'] }),
      (core, given) => core.dropHeld({ organization: given }),
    ];
    for (const call of calls) {
      const { core, called } = spiedCore();
      assert.match(String(await outcomeOf(call(core, nothing))), /^TypeError/);
      assert.deepEqual(called, []);
      await outcomeOf(call(core, null));
      assert.notDeepEqual(called, []);
    }
  });
});
