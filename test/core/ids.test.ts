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
import { saysWhy } from '../support/core/refused.js';
import { aRequestedSignOn } from '../support/core/sign-on-service.js';
import { webhookAt } from '../support/webhook-at.js';

const one = { id: 1 };
const { uuid, email } = aUser(1);
const person = { email, firstName: 'Dana', lastName: 'Kim' };
const newName = { firstName: 'Dana', lastName: 'Lee' };
const by: Actor = { who: { kind: 'user', userId: 1 }, from: null };
const acme: Organization = {
  ...anOrganization(1),
  ...{ timeZone: null, accessKeyGeneration: 0, previousAccessKey: null },
};
const webhook = webhookAt('https://partner.test/hooks');
const directoryEntry = {
  ...{ userName: email, externalId: null, givenName: null, familyName: null, displayName: null },
  ...{ email: null, isActive: true },
};
const session = { user: aUser(1), boundTo: null };
const pending = { state: 's', nonce: 'n', verifier: 'v' };
const started = { ...pending, organizationId: 1, issuer: '', startedAt: 0, triedBy: null };

/** The code of a refusal, a `TypeError` that names the argument, or a result. */
type Outcome = RefusalCode | 'TypeError' | { readonly result: unknown };

/** A request, and for each ID in it what a call gives whose ID no record can have. That of `by` is always an error. */
type Ids<Request> = readonly [request: Request, outcomes?: Readonly<Record<string, Outcome>>];

type Requests = { readonly [UseCase in keyof Core]: NonNullable<Parameters<Core[UseCase]>[0]> };

const organization = { 'organization.id': 'TypeError' } as const;
const knownOrganization = { 'organization.id': 'organization-not-found' } as const;
const byDeliveryId = { 'organization.id': 'delivery-not-found', deliveryId: 'delivery-not-found' } as const;
const ofMember = { organizationId: 'TypeError', userId: 'TypeError' } as const;
const byUserId = { 'organization.id': 'member-not-found', userId: 'member-not-found' } as const;
const byUuid = { 'organization.id': 'member-not-found', uuid: 'member-not-found' } as const;
const knownMember = { organizationId: 'member-not-found', userId: 'member-not-found' } as const;
const directoryPerson = { 'organization.id': 'TypeError', uuid: 'directory-person-unknown' } as const;
const byInvitationId = {
  'organization.id': 'invitation-unknown',
  invitationId: 'invitation-unknown',
} as const;

/** The IDs of every use-case. The type requires an entry for each new use-case; null: it has none. */
const ids: { readonly [UseCase in keyof Core]: Ids<Requests[UseCase]> | null } = {
  authenticate: null,
  authorize: null,
  generateAccessKey: [{ organizationId: 1, by }, { organizationId: 'organization-not-found' }],
  createOrganization: [{ name: 'Clinic', eap: false, by }],
  listOrganizations: null,
  authorizeMember: [
    { session, organizationId: 1, role: 'member' },
    { organizationId: 'organization-not-found', 'session.user.id': 'TypeError' },
  ],
  readAccessKey: [{ organization: one }, organization],
  recordExport: [{ organization: one, form: 'csv', by }, organization],
  hideFirstSteps: [{ organization: one, isHidden: true, by }, organization],
  readFirstSteps: [{ organization: one }, organization],
  setTimeZone: [{ organization: one, timeZone: null, by }, knownOrganization],
  renameOrganization: [{ organization: one, name: 'Clinic', by }, knownOrganization],
  answerOnce: [
    { organization: one, operation: 'trial', key: 'key', fingerprint: '', work: async () => '' },
    knownOrganization,
  ],
  listActivity: [{ organization: one }, organization],
  exportActivity: [
    { organization: one, describe: () => ({ actor: '', what: '', details: null }) },
    organization,
  ],
  listApiCalls: [{ organization: one }, organization],
  nameAccessKey: [{ organization: one, name: null, generation: 1, by }, knownOrganization],
  inviteUser: [{ organization: one, ...person, by }, knownOrganization],
  inviteUsers: [{ organization: one, users: [person], by }, knownOrganization],
  exportMembers: [{ organization: one }, organization],
  exportInvitations: [{ organization: one }, organization],
  findInvitations: [{ organization: one }, organization],
  readPendingInvitation: null,
  acceptInvitation: null,
  registerUser: [{ organizationId: 1, ...person }, { organizationId: 'organization-not-found' }],
  issueLoginLink: [
    { organization: one, uuid, by },
    { 'organization.id': 'user-not-found', uuid: 'user-not-found' },
  ],
  readLoginLink: null,
  readPasswordReset: null,
  requestPasswordReset: null,
  resetPassword: null,
  sendMails: null,
  redeemLoginLink: null,
  readLastDelivery: [{ organization: one, userId: 1 }, byUserId],
  readLastSignIn: [{ organization: one, userId: 1 }, byUserId],
  signOutMember: [{ organization: one, userId: 1, by }, byUserId],
  signIn: null,
  signOut: null,
  resumeSession: null,
  authorizeDirectory: null,
  changeProvisioned: [{ organization: one, uuid, change: (entry) => entry, from: '' }, directoryPerson],
  endDirectoryTokens: [
    { organization: one, which: 'all', by },
    { 'organization.id': 'directory-token-outdated' },
  ],
  findProvisioned: [{ organization: one, attribute: 'id', value: uuid }, organization],
  issueDirectoryToken: [{ organization: one, by }, knownOrganization],
  listProvisioned: [{ organization: one, offset: 0, limit: 1 }, organization],
  provisionUser: [{ organization: one, entry: directoryEntry, from: '' }, organization],
  readDirectory: [{ organization: one }, organization],
  readProvisioned: [{ organization: one, uuid }, directoryPerson],
  recordDirectoryRequest: [
    { organization: one, method: 'GET', status: 200, reason: '', uuid: null },
    organization,
  ],
  removeProvisioned: [{ organization: one, uuid, from: '' }, directoryPerson],
  endSetupLink: [{ organization: one, by }, organization],
  findSetupLink: [{ organization: one }, organization],
  issueSetupLink: [{ organization: one, userId: 1, by }, knownOrganization],
  openSetupLink: null,
  readSetupLink: null,
  beginSignOn: [{ organizationId: 1, address: '' }, { organizationId: 'sign-on-off' }],
  checkSignOn: [{ organization: one }, { 'organization.id': 'sign-on-off' }],
  confirmSignOn: null,
  endProviderSession: [{ organizationId: 1, token: '' }, { organizationId: 'sign-on-off' }],
  finishSignOn: [{ organizationId: 1, started, query: '', address: '' }, { organizationId: 'sign-on-off' }],
  mailSignOnCode: null,
  proveSignOn: null,
  openSignOn: [{ organizationId: 1 }, { organizationId: 'sign-on-off' }],
  readIdentity: [{ organization: one, userId: 1 }, byUserId],
  readSignOn: [{ organization: one }, organization],
  removeSignOn: [{ organization: one, by }, { 'organization.id': 'sign-on-off' }],
  saveSignOn: [{ organization: one, signOn: aRequestedSignOn(), by }, knownOrganization],
  switchSignOn: [{ organization: one, to: 'on', by }, { 'organization.id': 'sign-on-off' }],
  trySignOn: [
    { organizationId: 1, userId: 1, started, query: '', address: '' },
    { organizationId: 'sign-on-off', userId: 'TypeError' },
  ],
  unlinkIdentity: [{ organization: one, userId: 1, by }, byUserId],
  askSecondFactor: null,
  beginPasskey: null,
  addPasskey: null,
  namePasskey: null,
  beginCodes: null,
  readCodeSecret: null,
  confirmCodes: null,
  renewRecoveryCodes: null,
  readSecondFactor: null,
  removeSecondFactor: null,
  removeSecondFactorOf: [{ email, by }],
  confirmIdentity: null,
  passSecondStep: null,
  isSecondFactorRequired: [{ organization: one }, organization],
  requireSecondFactor: [
    { organization: one, isRequired: false, userId: 1, by },
    { ...knownOrganization, userId: 'TypeError' },
  ],
  listSessions: null,
  endSession: null,
  endOtherSessions: null,
  endSessions: [{ email: null, by }],
  addUser: null,
  setEmail: [{ email, to: 'kim@example.test', by }],
  setName: [
    { ...newName, person: { userId: 1 }, onlyOf: one, by },
    { 'person.userId': 'member-not-found', 'onlyOf.id': 'member-not-found' },
  ],
  setPassword: null,
  addMember: [
    { organizationId: 1, email, role: 'member', idpId: null, by },
    { organizationId: 'organization-not-found' },
  ],
  listMemberships: [{ userId: 1 }, { userId: 'TypeError' }],
  listMembers: [{ organization: one }, organization],
  readMember: [{ organization: one, userId: 1 }, byUserId],
  changeRole: [{ organization: one, userId: 1, role: 'admin', by }, byUserId],
  removeMember: [{ organization: one, userId: 1, by }, byUserId],
  listUsers: [{ organization: one }, organization],
  readUser: [{ organization: one, uuid }, byUuid],
  setIdpId: [{ organization: one, uuid, idpId: 'dana', by }, byUuid],
  removeUser: [{ organization: one, uuid, by }, byUuid],
  eraseMember: [{ organization: one, uuid, by }, byUuid],
  eraseUser: [{ uuid, by }, { uuid: 'user-not-found' }],
  readUserData: [{ uuid }, { uuid: 'user-not-found' }],
  changePassword: null,
  inviteLines: [{ organization: one, text: 'dana@example.test,Dana,Kim', by }, knownOrganization],
  listInvitations: [{ organization: one }, organization],
  readInvitation: [
    { organization: one, uuid },
    { 'organization.id': 'invitation-unknown', uuid: 'invitation-unknown' },
  ],
  revokeInvitation: [{ organization: one, invitationId: uuid, by }, byInvitationId],
  renewInvitation: [{ organization: one, invitationId: uuid, by }, byInvitationId],
  listUpcomingMeetings: [
    { organization: one, idpId: 'dana' },
    { 'organization.id': 'member-not-found', idpId: 'member-not-found' },
  ],
  listUserMeetings: [{ organization: one, uuid }, byUuid],
  listOwnMeetings: [{ organizationId: 1, userId: 1 }, knownMember],
  listPastMeetings: [{ organizationId: 1, userId: 1 }, knownMember],
  exportMeetings: [{ organization: acme, columns: ['name'] }, organization],
  previewExport: [{ organization: acme, columns: ['name'] }, organization],
  listMeetings: [{ organization: acme }, organization],
  readMeeting: [
    { organization: acme, meetingId: 1 },
    { ...organization, meetingId: 'meeting-not-found' },
  ],
  summarizeMeetings: [{ organization: acme }, organization],
  createCalendarFeed: [{ organizationId: 1, userId: 1 }, knownMember],
  findCalendarFeed: [{ organizationId: 1, userId: 1 }, ofMember],
  revokeCalendarFeed: [{ organizationId: 1, userId: 1 }, ofMember],
  readCalendarFeed: null,
  readCalendarMeeting: [
    { organizationId: 1, userId: 1, meetingId: 1 },
    { ...knownMember, meetingId: 'meeting-not-found' },
  ],
  readWebhook: [{ organization: one }, organization],
  finishRotation: [{ organization: one, by }, organization],
  configureWebhook: [{ organization: one, how: 'set', webhook, by }, knownOrganization],
  deliverWebhooks: null,
  recoverDeliveries: null,
  listDeliveries: [
    { organization: one, eventId: uuid },
    { ...organization, eventId: { result: { deliveries: [], older: null } } },
  ],
  listDeliveryLog: [
    { organization: one, eventId: uuid },
    { ...organization, eventId: { result: { items: [], next: null } } },
  ],
  redeliver: [{ organization: one, deliveryId: 1, by }, byDeliveryId],
  redeliverFailed: [{ organization: one, since: new Date(0), by }, organization],
  redeliverMatching: [{ organization: one, states: ['failed'], by }, organization],
  countDeliveries: [{ organization: one, states: ['failed'] }, organization],
  dropHeld: [{ organization: one, by }, organization],
  dismissFailed: [
    { organization: one, deliveryId: 1, by },
    { ...organization, deliveryId: { result: 0 } },
  ],
  summarizeDeliveries: [{ organization: one }, organization],
  neighboringDeliveries: [
    { organization: one, deliveryId: 1 },
    {
      'organization.id': { result: { newer: null, older: null } },
      deliveryId: { result: { newer: null, older: null } },
    },
  ],
  readDelivery: [{ organization: one, deliveryId: 1 }, byDeliveryId],
  testWebhook: [{ organization: { id: 1, name: 'Acme' }, by }, organization],
  readMeetingChanges: [{ organization: one }, organization],
  readEvents: [{ organization: one }, organization],
  readWebhookHealth: [{ organization: one }, organization],
};

/** Other requests of some of them. */
const moreIds: { readonly [UseCase in keyof Core]?: Ids<Requests[UseCase]> } = {
  setName: [{ ...newName, person: { userId: 1 } }, { 'person.userId': 'user-not-found' }],
  revokeInvitation: [{ organization: one, uuid }, { uuid: 'invitation-unknown' }],
  renewInvitation: [{ organization: one, uuid }, { uuid: 'invitation-unknown' }],
  redeliver: [{ organization: null, deliveryId: 1 }, { deliveryId: 'delivery-not-found' }],
};

/** An ID in a request of a use-case. */
interface IdArgument {
  readonly title: string;
  /** As errors name it. */
  readonly argument: string;
  readonly expected: Outcome;
  call(core: Core, id: unknown): Promise<unknown>;
}

const idArguments: readonly IdArgument[] = [...Object.entries(ids), ...Object.entries(moreIds)].flatMap(
  ([useCase, entry]) => {
    if (entry === null) return [];
    const [request, outcomes = {}] = entry;
    const all = { ...outcomes, ...('by' in request && { 'by.who.userId': 'TypeError' as const }) };
    return Object.entries(all).map(([path, expected]) => ({
      title: `${useCase} of ${JSON.stringify(Object.keys(request))}: ${path}`,
      argument: path.replace('person.', ''),
      expected,
      call: (core: Core, id: unknown) => core[useCase as keyof Core](withId(request, path, id) as never),
    }));
  },
);

function withId(request: object, path: string, id: unknown): object {
  const [key = '', ...rest] = path.split('.');
  const value = rest.length === 0 ? id : withId(Reflect.get(request, key), rest.join('.'), id);
  return { ...request, [key]: value };
}

const isUuid = ({ argument }: IdArgument): boolean => ['uuid', 'invitationId', 'eventId'].includes(argument);
const isIdpId = ({ argument }: IdArgument): boolean => argument === 'idpId';

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

const wrong = '1' as unknown as number;

/** A core whose port methods all fail, and the names of the called ones. */
function createSpiedCore(): { readonly core: Core; readonly called: readonly string[] } {
  const called: string[] = [];
  const ports = Object.entries(memoryPorts().ports).map(([name, port]) => [name, spied(name, port, called)]);
  const links = {
    invitation: () => '',
    login: () => '',
    calendar: () => '',
    setup: () => '',
    defaultAvatar: '',
  };
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
    if (error instanceof Refusal) return saysWhy(error) ? error.code : `${error.code}, without a reason`;
    return error instanceof TypeError ? `TypeError: ${error.message}` : error;
  }
}

describe('An ID that no record can have reaches no port', () => {
  for (const given of idArguments) {
    const { title, argument, expected, call } = given;
    test(title, async () => {
      for (const id of isUuid(given) ? impossibleUuids : isIdpId(given) ? notTexts : impossibleIds) {
        const { core, called } = createSpiedCore();
        const outcome = await outcomeOf(call(core, id));
        const isText = isUuid(given) || isIdpId(given);
        if (isText && typeof id !== 'string')
          assert.equal(outcome, `TypeError: ${argument} must be a text, not ${typeof id}`);
        else if (!isText && (expected === 'TypeError' || typeof id !== 'number')) {
          const found = typeof id === 'number' ? id : typeof id;
          const message = `TypeError: ${argument} must be a whole number from 1 to 2^53 - 1, not ${found}`;
          assert.equal(outcome, message);
        } else assert.deepEqual(outcome, expected, String(id));
        assert.deepEqual(called, []);
      }
    });
  }

  test('a possible ID reaches a port', async () => {
    for (const given of idArguments) {
      const { core, called } = createSpiedCore();
      await outcomeOf(given.call(core, isUuid(given) ? uuid : isIdpId(given) ? 'dana' : 7));
      assert.ok(called.length > 0, given.title);
    }
  });

  test('an id of a wrong type is a mistake of the program, whatever else is wrong', async () => {
    const person = { email: '', firstName: '', lastName: '' };
    const session = { user: aUser(1), boundTo: 1 };
    const calls: readonly ((core: Core) => Promise<unknown>)[] = [
      (core) => core.inviteUser({ organization: { id: wrong }, ...person }),
      (core) => core.registerUser({ organizationId: wrong, ...person }),
      (core) => core.addMember({ organizationId: wrong, email: '', role: 'member', idpId: null }),
      (core) => core.changeRole({ organization: { id: wrong }, userId: 1, role: '' as 'owner' }),
      (core) => core.authorizeMember({ session, organizationId: wrong, role: 'member' }),
      (core) => core.authorize({ token: null, organizationId: 1 as never }),
      (core) => core.endSession({ session: null, id: 1 as never }),
    ];
    for (const call of calls) {
      const { core, called } = createSpiedCore();
      assert.match(
        String(await outcomeOf(call(core))),
        /^TypeError: \w+(\.id)? must be a (text|whole number)/,
      );
      assert.deepEqual(called, []);
    }
  });

  test('only null means every organization, and an omitted organization is an error', async () => {
    const since = new Date(0);
    const missing = undefined as unknown as null;
    const calls: readonly ((core: Core, given: null) => Promise<unknown>)[] = [
      (core, given) => core.listDeliveries({ organization: given }),
      (core, given) => core.readDelivery({ organization: given, deliveryId: 1 }),
      (core, given) => core.redeliver({ organization: given, deliveryId: 1 }),
      (core, given) => core.redeliverFailed({ organization: given, since }),
      (core, given) => core.redeliverMatching({ organization: given, states: ['failed'] }),
      (core, given) => core.countDeliveries({ organization: given, states: ['failed'] }),
      (core, given) => core.dropHeld({ organization: given }),
    ];
    for (const call of calls) {
      const { core, called } = createSpiedCore();
      assert.match(String(await outcomeOf(call(core, missing))), /^TypeError/);
      assert.deepEqual(called, []);
      await outcomeOf(call(core, null));
      assert.notDeepEqual(called, []);
    }
  });
});
