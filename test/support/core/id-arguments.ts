import type { Actor, Core, Organization, RefusalCode } from '@rollcall/core';
import { anOrganization, aUser } from '@rollcall/core/testing';
import { webhookAt } from '../webhook-at.js';

type UseCase = keyof Core;

/** An argument of a use-case that is an ID, with the outcome of a call with an ID that no record can have. */
export interface IdArgument {
  readonly name: string;
  call(core: Core, id: never): Promise<unknown>;
  /** The code of a refusal, a `TypeError` that names the argument, or a result. */
  readonly expected: RefusalCode | 'TypeError' | { readonly result: unknown };
  /** The ID is a UUID, so other texts are impossible. */
  readonly isUuid?: true;
}

const one = { id: 1 };
const person = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' };
const newName = { firstName: 'Dana', lastName: 'Lee' };
export const uuid = aUser(1).uuid;
const since = new Date(0);
const webhook = webhookAt('https://partner.test/hooks');
const actor = (userId: number): Actor => ({ who: { kind: 'user', userId }, from: null });
const whole = (id: number): Organization => ({
  ...anOrganization(1),
  ...{ id, timeZone: null, accessKeyGeneration: 0, previousAccessKey: null },
});

/** The argument `organization`. */
function ofOrganization(
  expected: IdArgument['expected'],
  call: (core: Core, id: number) => Promise<unknown>,
): IdArgument {
  return { name: 'organization.id', expected, call };
}

/** The argument `by` of the use-cases that change something. */
function byUser(call: (core: Core, by: Actor) => Promise<unknown>): IdArgument {
  return { name: 'by.who.userId', expected: 'TypeError', call: (core, id) => call(core, actor(id)) };
}

function idArgument(
  name: string,
  expected: IdArgument['expected'],
  call: (core: Core, id: number) => Promise<unknown>,
): IdArgument {
  return { name, expected, call };
}

function uuidArgument(
  name: string,
  expected: IdArgument['expected'],
  call: (core: Core, id: string) => Promise<unknown>,
): IdArgument {
  return { name, expected, call, isUuid: true };
}

/** The ID arguments of every use-case. The type requires an entry for each new use-case. */
export const idArguments: Readonly<Record<UseCase, readonly IdArgument[]>> = {
  authenticate: [],
  authorize: [],
  generateAccessKey: [
    idArgument('organizationId', 'organization-not-found', (core, organizationId) =>
      core.generateAccessKey({ organizationId }),
    ),
    byUser((core, by) => core.generateAccessKey({ organizationId: 1, by })),
  ],
  createOrganization: [],
  listOrganizations: [],
  authorizeMember: [
    idArgument('organizationId', 'organization-not-found', (core, organizationId) =>
      core.authorizeMember({ session: { user: aUser(1), boundTo: null }, organizationId, role: 'member' }),
    ),
    idArgument('session.user.id', 'TypeError', (core, id) =>
      core.authorizeMember({
        session: { user: { ...aUser(1), id }, boundTo: null },
        organizationId: 1,
        role: 'member',
      }),
    ),
  ],
  readAccessKey: [ofOrganization('TypeError', (core, id) => core.readAccessKey({ organization: { id } }))],
  recordExport: [
    ofOrganization('TypeError', (core, id) => core.recordExport({ organization: { id }, form: 'csv' })),
    byUser((core, by) => core.recordExport({ organization: one, form: 'csv', by })),
  ],
  hideFirstSteps: [
    ofOrganization('TypeError', (core, id) => core.hideFirstSteps({ organization: { id }, isHidden: true })),
    byUser((core, by) => core.hideFirstSteps({ organization: one, isHidden: true, by })),
  ],
  readFirstSteps: [ofOrganization('TypeError', (core, id) => core.readFirstSteps({ organization: { id } }))],
  setTimeZone: [
    ofOrganization('organization-not-found', (core, id) =>
      core.setTimeZone({ organization: { id }, timeZone: null }),
    ),
    byUser((core, by) => core.setTimeZone({ organization: one, timeZone: null, by })),
  ],
  renameOrganization: [
    ofOrganization('organization-not-found', (core, id) =>
      core.renameOrganization({ organization: { id }, name: 'Clinic' }),
    ),
    byUser((core, by) => core.renameOrganization({ organization: one, name: 'Clinic', by })),
  ],
  answerOnce: [
    ofOrganization('organization-not-found', (core, id) =>
      core.answerOnce({
        organization: { id },
        operation: 'trial',
        key: 'key',
        fingerprint: '',
        work: async () => '',
      }),
    ),
  ],
  listActivity: [ofOrganization('TypeError', (core, id) => core.listActivity({ organization: { id } }))],
  inviteUser: [
    ofOrganization('organization-not-found', (core, id) =>
      core.inviteUser({ organization: { id }, ...person }),
    ),
    byUser((core, by) => core.inviteUser({ organization: one, ...person, by })),
  ],
  inviteEach: [
    ofOrganization('organization-not-found', (core, id) =>
      core.inviteEach({ organization: { id }, users: [person] }),
    ),
    byUser((core, by) => core.inviteEach({ organization: one, users: [person], by })),
  ],
  exportMembers: [ofOrganization('TypeError', (core, id) => core.exportMembers({ organization: { id } }))],
  exportInvitations: [
    ofOrganization('TypeError', (core, id) => core.exportInvitations({ organization: { id } })),
  ],
  findInvitations: [
    ofOrganization('TypeError', (core, id) => core.findInvitations({ organization: { id } })),
  ],
  readPendingInvitation: [],
  acceptInvitation: [],
  registerUser: [
    idArgument('organizationId', 'organization-not-found', (core, organizationId) =>
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
  readPasswordReset: [],
  requestPasswordReset: [],
  resetPassword: [],
  sendMails: [],
  redeemLoginLink: [],
  signIn: [],
  signOut: [],
  resumeSession: [],
  listSessions: [],
  endSession: [],
  endOtherSessions: [],
  endSessions: [byUser((core, by) => core.endSessions({ email: null, by }))],
  addUser: [],
  setEmail: [byUser((core, by) => core.setEmail({ email: person.email, to: 'kim@example.test', by }))],
  setName: [
    idArgument('userId', 'user-not-found', (core, userId) =>
      core.setName({ ...newName, person: { userId } }),
    ),
    idArgument('onlyOf.id', 'member-not-found', (core, id) =>
      core.setName({ ...newName, person: { userId: 1 }, onlyOf: { id } }),
    ),
    byUser((core, by) => core.setName({ ...newName, person: { userId: 1 }, by })),
  ],
  setPassword: [],
  addMember: [
    idArgument('organizationId', 'organization-not-found', (core, organizationId) =>
      core.addMember({ organizationId, email: person.email, role: 'member', idpId: null }),
    ),
    byUser((core, by) =>
      core.addMember({ organizationId: 1, email: person.email, role: 'member', idpId: null, by }),
    ),
  ],
  listMemberships: [idArgument('userId', 'TypeError', (core, userId) => core.listMemberships({ userId }))],
  listMembers: [ofOrganization('TypeError', (core, id) => core.listMembers({ organization: { id } }))],
  readMember: [
    ofOrganization('member-not-found', (core, id) => core.readMember({ organization: { id }, userId: 1 })),
    idArgument('userId', 'member-not-found', (core, userId) =>
      core.readMember({ organization: one, userId }),
    ),
  ],
  changeRole: [
    ofOrganization('member-not-found', (core, id) =>
      core.changeRole({ organization: { id }, userId: 1, role: 'admin' }),
    ),
    idArgument('userId', 'member-not-found', (core, userId) =>
      core.changeRole({ organization: one, userId, role: 'admin' }),
    ),
    byUser((core, by) => core.changeRole({ organization: one, userId: 1, role: 'admin', by })),
  ],
  removeMember: [
    ofOrganization('member-not-found', (core, id) => core.removeMember({ organization: { id }, userId: 1 })),
    idArgument('userId', 'member-not-found', (core, userId) =>
      core.removeMember({ organization: one, userId }),
    ),
    byUser((core, by) => core.removeMember({ organization: one, userId: 1, by })),
  ],
  listUsers: [ofOrganization('TypeError', (core, id) => core.listUsers({ organization: { id } }))],
  readUser: [
    ofOrganization('member-not-found', (core, id) => core.readUser({ organization: { id }, uuid })),
    uuidArgument('uuid', 'member-not-found', (core, id) => core.readUser({ organization: one, uuid: id })),
  ],
  setIdpId: [
    ofOrganization('member-not-found', (core, id) =>
      core.setIdpId({ organization: { id }, uuid, idpId: 'dana' }),
    ),
    uuidArgument('uuid', 'member-not-found', (core, id) =>
      core.setIdpId({ organization: one, uuid: id, idpId: 'dana' }),
    ),
    byUser((core, by) => core.setIdpId({ organization: one, uuid, idpId: 'dana', by })),
  ],
  removeUser: [
    ofOrganization('member-not-found', (core, id) => core.removeUser({ organization: { id }, uuid })),
    uuidArgument('uuid', 'member-not-found', (core, id) => core.removeUser({ organization: one, uuid: id })),
    byUser((core, by) => core.removeUser({ organization: one, uuid, by })),
  ],
  eraseMember: [
    ofOrganization('member-not-found', (core, id) => core.eraseMember({ organization: { id }, uuid })),
    uuidArgument('uuid', 'member-not-found', (core, id) => core.eraseMember({ organization: one, uuid: id })),
    byUser((core, by) => core.eraseMember({ organization: one, uuid, by })),
  ],
  eraseUser: [
    uuidArgument('uuid', 'user-not-found', (core, id) => core.eraseUser({ uuid: id })),
    byUser((core, by) => core.eraseUser({ uuid, by })),
  ],
  readUserData: [uuidArgument('uuid', 'user-not-found', (core, id) => core.readUserData({ uuid: id }))],
  changePassword: [],
  inviteUsers: [
    ofOrganization('organization-not-found', (core, id) =>
      core.inviteUsers({ organization: { id }, text: 'dana@example.test,Dana,Kim' }),
    ),
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
    uuidArgument('uuid', 'invitation-unknown', (core, id) =>
      core.revokeInvitation({ organization: one, uuid: id }),
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
    uuidArgument('uuid', 'invitation-unknown', (core, id) =>
      core.renewInvitation({ organization: one, uuid: id }),
    ),
    byUser((core, by) => core.renewInvitation({ organization: one, invitationId: uuid, by })),
  ],
  listUpcomingMeetings: [
    ofOrganization('member-not-found', (core, id) =>
      core.listUpcomingMeetings({ organization: { id }, idpId: 'dana' }),
    ),
    idArgument('idpId', 'member-not-found', (core, id) =>
      core.listUpcomingMeetings({ organization: one, idpId: id as unknown as string }),
    ),
  ],
  listUserMeetings: [
    ofOrganization('member-not-found', (core, id) => core.listUserMeetings({ organization: { id }, uuid })),
    uuidArgument('uuid', 'member-not-found', (core, id) =>
      core.listUserMeetings({ organization: one, uuid: id }),
    ),
  ],
  listOwnMeetings: [
    idArgument('organizationId', 'member-not-found', (core, organizationId) =>
      core.listOwnMeetings({ organizationId, userId: 1 }),
    ),
    idArgument('userId', 'member-not-found', (core, userId) =>
      core.listOwnMeetings({ organizationId: 1, userId }),
    ),
  ],
  listPastMeetings: [
    idArgument('organizationId', 'member-not-found', (core, organizationId) =>
      core.listPastMeetings({ organizationId, userId: 1 }),
    ),
    idArgument('userId', 'member-not-found', (core, userId) =>
      core.listPastMeetings({ organizationId: 1, userId }),
    ),
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
    idArgument('organizationId', 'member-not-found', (core, organizationId) =>
      core.createCalendarFeed({ organizationId, userId: 1 }),
    ),
    idArgument('userId', 'member-not-found', (core, userId) =>
      core.createCalendarFeed({ organizationId: 1, userId }),
    ),
  ],
  findCalendarFeed: [
    idArgument('organizationId', 'TypeError', (core, organizationId) =>
      core.findCalendarFeed({ organizationId, userId: 1 }),
    ),
    idArgument('userId', 'TypeError', (core, userId) => core.findCalendarFeed({ organizationId: 1, userId })),
  ],
  revokeCalendarFeed: [
    idArgument('organizationId', 'TypeError', (core, organizationId) =>
      core.revokeCalendarFeed({ organizationId, userId: 1 }),
    ),
    idArgument('userId', 'TypeError', (core, userId) =>
      core.revokeCalendarFeed({ organizationId: 1, userId }),
    ),
  ],
  readCalendarFeed: [],
  readCalendarMeeting: [
    idArgument('organizationId', 'member-not-found', (core, organizationId) =>
      core.readCalendarMeeting({ organizationId, userId: 1, meetingId: 1 }),
    ),
    idArgument('userId', 'member-not-found', (core, userId) =>
      core.readCalendarMeeting({ organizationId: 1, userId, meetingId: 1 }),
    ),
    idArgument('meetingId', 'meeting-not-found', (core, meetingId) =>
      core.readCalendarMeeting({ organizationId: 1, userId: 1, meetingId }),
    ),
  ],
  readWebhook: [ofOrganization('TypeError', (core, id) => core.readWebhook({ organization: { id } }))],
  finishRotation: [
    ofOrganization('TypeError', (core, id) => core.finishRotation({ organization: { id } })),
    byUser((core, by) => core.finishRotation({ organization: one, by })),
  ],
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
  listDeliveryLog: [
    ofOrganization('TypeError', (core, id) => core.listDeliveryLog({ organization: { id } })),
    uuidArgument('eventId', { result: { items: [], next: null } }, (core, eventId) =>
      core.listDeliveryLog({ organization: one, eventId }),
    ),
  ],
  redeliver: [
    ofOrganization('delivery-not-found', (core, id) =>
      core.redeliver({ organization: { id }, deliveryId: 1 }),
    ),
    idArgument('deliveryId', 'delivery-not-found', (core, deliveryId) =>
      core.redeliver({ organization: one, deliveryId }),
    ),
    idArgument('deliveryId of any organization', 'delivery-not-found', (core, deliveryId) =>
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
    idArgument('deliveryId', 'delivery-not-found', (core, deliveryId) =>
      core.readDelivery({ organization: one, deliveryId }),
    ),
  ],
  testWebhook: [
    ofOrganization('TypeError', (core, id) => core.testWebhook({ organization: { id, name: 'Acme' } })),
    byUser((core, by) => core.testWebhook({ organization: { id: 1, name: 'Acme' }, by })),
  ],
  readMeetingChanges: [
    ofOrganization('TypeError', (core, id) => core.readMeetingChanges({ organization: { id } })),
  ],
  readEvents: [ofOrganization('TypeError', (core, id) => core.readEvents({ organization: { id } }))],
  readWebhookHealth: [
    ofOrganization('TypeError', (core, id) => core.readWebhookHealth({ organization: { id } })),
  ],
};
