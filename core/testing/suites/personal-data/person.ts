import type { StoragePorts } from '../../../ports.js';
import { emailChangeSubject } from '../../../users/email-change.js';
import type { Role } from '../../../users/ports/members.js';
import type { ErasedPerson, ErasePerson, PersonalRecord } from '../../../users/ports/personal-data.js';
import type { Users } from '../../../users/ports/users.js';
import { aMeeting, aMembership, anOrganization, aUser, testUuid } from '../../dataset.js';
import { expectTrue } from '../../expect.js';
import { anAuditEntry } from '../../new-audit-entry.js';
import { anEntry, newIds, written } from '../../new-directory-person.js';
import { anInvitation } from '../../new-invitation.js';
import { aNewMember } from '../../new-member.js';
import { addedBy, aPasskey, withCodes } from '../../new-second-factor.js';
import { anIdentity, aSignOn } from '../../new-sign-on.js';
import { noon } from '../../noon.js';
import type { TestStorage } from '../../start-storage.js';
import { eventName, subscribe } from '../../subscribe.js';

/** When the person is erased. Meetings 1 and 2 have ended. */
export const later = new Date('2026-11-20T20:00:00.000Z');
export const erased = { at: later, mayLeaveNoOwner: false };

/** The person whom the tests read and erase. Every text that names them contains `canary`. */
export const person = aUser(7, {
  email: 'canary@example.test',
  firstName: 'Canary-First',
  lastName: 'Canary-Last',
  avatar: 'https://pictures.test/canary.png',
});
/** Someone whose address ends with that of the person. */
export const other = aUser(8, { email: 'not-canary@example.test' });
/** Who the person is at the identity provider of organization 1. */
export const canaryIdentity = {
  organizationId: 1,
  issuer: aSignOn().issuer,
  subject: 'canary-subject',
  linkedAt: noon,
};
/** The UUID that organization 1 knows. */
export const invitedUuid = testUuid(707);
/** What the directory of organization 1 says about the person. */
export const canaryEntry = anEntry(7, {
  ...{ userName: 'canary-name', externalId: 'canary-idp', givenName: 'Canary', familyName: 'Entry' },
  ...{ displayName: 'Canary Entry', email: 'canary-work@example.test' },
});
const key = { organizationId: 1, uuid: invitedUuid, at: noon };

/** Stores the person as a member of organization 1, who was invited and has left traces everywhere. */
export async function prepare(storage: TestStorage): Promise<void> {
  await storage.load({
    organizations: [1, 2, 3].map((id) => anOrganization(id)),
    users: [person, other, aUser(1), aUser(2), aUser(9)],
    memberships: [
      ...[1, 2, 3].map((id) => aMembership(1, { organizationId: id, role: 'owner' })),
      aMembership(8),
    ],
    meetings: [
      aMeeting(1, { groupLeaderId: 7, host: 'Canary-First C.', status: 'complete' }),
      aMeeting(2, { groupLeaderId: 8, host: 'Canary-First C.', status: 'complete' }),
      aMeeting(3, { ...tomorrow, waitList: true }),
    ],
    registrations: [1, 2, 3].flatMap((meetingId) =>
      [7, 2].map((userId) => ({ meetingId, userId, registeredAt: noon })),
    ),
    waitingPlaces: [
      { meetingId: 3, userId: 7, status: 'offered', createdAt: noon, offeredUntil: tomorrow.startTime },
      { meetingId: 3, userId: 2, status: 'waiting', createdAt: noon },
    ],
  });
  const { auditTrail, calendarFeeds, invitations, loginLinks, mails, sessions, users } = storage;
  await invite(storage, { number: 7, email: person.email, idpId: 'canary-idp', userUuid: invitedUuid });
  await register(storage, { userId: 7, number: 7 });
  await register(storage, { userId: 9, number: 9 });
  await users.setPasswordHash({ userId: 7, hash: 'canary-hash' });
  const session = { hash: 'canary-s', userId: 7, boundTo: 1, createdAt: noon, device: 'canary-device' };
  await sessions.create({ ...session, passwordHash: null });
  await sessions.create({ hash: 's', userId: 8, boundTo: null, createdAt: noon, passwordHash: null });
  const link = { organizationId: 1, createdAt: noon, expiresAt: later };
  for (const { email } of [person, other])
    await mails.add({ kind: 'password-changed', email, createdAt: noon });
  await loginLinks.store({ ...link, hash: 'canary-l', userId: 7 });
  await loginLinks.store({ ...link, hash: 'l', userId: 8 });
  await calendarFeeds.create({ organizationId: 1, userId: 7, hash: 'canary-c', createdAt: noon });
  const { signOns, identities } = storage;
  for (const userId of [7, 8]) await withCodes(storage, userId, 's');
  await storage.secondFactors.addPasskey({ ...aPasskey(7), ...addedBy(7), name: 'canary-key' });
  await signOns.save(1, () => aSignOn({ tested: { by: 7, at: noon } }));
  await signOns.save(2, () => aSignOn({ tested: { by: 8, at: noon } }));
  await identities.link({ ...canaryIdentity, userId: 7 });
  await identities.link(anIdentity(8));
  await storage.directory.change({ ...key, ids: newIds(7) }, () => written(canaryEntry));
  const request = { organizationId: 1, at: noon, method: 'PATCH', status: 200, reason: 'changed' };
  await storage.directory.record({ ...request, uuid: invitedUuid });
  await storage.directory.record({ ...request, uuid: other.uuid });
  const invited = { kind: 'user', userId: 7 } as const;
  await invitations.findOrCreatePending(anInvitation(1, { invitedBy: invited }));
  const entry = anAuditEntry({ action: 'role-changed' });
  for (const { email } of [person, other]) await auditTrail.record({ ...entry, subject: `${email}: admin` });
  await auditTrail.record({ ...entry, actor: { who: invited, from: '192.0.2.7' }, subject: other.email });
}

const tomorrow = {
  startTime: new Date('2026-11-21T18:00:00.000Z'),
  endTime: new Date('2026-11-21T19:00:00.000Z'),
};

/** Erases the person. */
export async function erase(
  { personalData }: StoragePorts,
  request: Partial<ErasePerson> = {},
): Promise<ErasedPerson> {
  const result = await personalData.erase({ person: { email: person.email }, ...erased, ...request });
  if (typeof result === 'string' || 'lastOwnerOf' in result)
    throw new Error(`The person was not erased: ${JSON.stringify(result)}`);
  return result;
}

export async function recordOf({ personalData }: StoragePorts): Promise<PersonalRecord> {
  const record = await personalData.read({ email: person.email });
  if (record === null) throw new Error('The storage knows nothing about the person');
  return record;
}

export async function invite(
  { invitations }: StoragePorts,
  invited: {
    readonly number: number;
    readonly email: string;
    readonly idpId?: string | null;
    readonly userUuid?: string;
    readonly organizationId?: number;
  },
): Promise<string> {
  const { number, ...fields } = invited;
  const names = { firstName: 'Canary-Invited', lastName: 'Canary-Named' };
  const fresh = anInvitation(number, { ...names, ...fields });
  const stored = await invitations.findOrCreatePending(fresh);
  if (typeof stored === 'string') throw new Error(`Nobody was invited: ${stored}`);
  return stored.id;
}

/** Registers the user in the organization, with an event that is delivered. */
export async function register(
  { members, webhooks }: StoragePorts,
  registered: {
    readonly userId: number;
    readonly number: number;
    readonly organizationId?: number;
    readonly role?: Role;
  },
): Promise<void> {
  const { userId, number, organizationId = 1, role = 'member' } = registered;
  const entry = aNewMember({ id: userId }, { organizationId, role });
  await subscribe({ webhooks }, [organizationId]);
  const id = testUuid(5000 + number);
  const result = await members.register(entry, ({ member: { uuid, user } }) => {
    const body = bodyOf(number, { id: userId, uuid, email: user.email, first_name: user.firstName });
    const about = { id: userId, uuid, email: user.email };
    return [{ id, name: eventName, organizationId, body, createdAt: noon, about }];
  });
  expectTrue(typeof result === 'object', `Nobody was registered: ${String(result)}`);
}

/** Changes an address, and records that in every organization of the user. */
export async function changeEmail(
  users: Users,
  change: { readonly from: string; readonly to: string },
): Promise<void> {
  const subject = emailChangeSubject(change);
  await users.setEmail(change, ({ organizationIds }) =>
    organizationIds.map((organizationId) =>
      anAuditEntry({ organizationId, action: 'email-changed', subject }),
    ),
  );
}

/** The body of an event. Without the user: of an erased person. */
export function bodyOf(number: number, user: Readonly<Record<string, unknown>> | null): string {
  const event = { event: eventName, number, organization: { id: 1, name: 'Organization 1' } };
  const nobody = { id: null, uuid: null, email: null, first_name: null };
  return JSON.stringify(user === null ? { ...event, user: nobody, erased: true } : { ...event, user });
}
