import { aUser, testUuid } from '../../dataset.js';
import { type ContractTest, each, expectEqual, rows } from '../../expect.js';
import { noon } from '../../noon.js';
import type { MakeTest } from '../../start-storage.js';
import { eventName } from '../../subscribe.js';
import {
  bodyOf,
  canaryEntry,
  canaryIdentity,
  changeEmail,
  invite,
  invitedUuid,
  later,
  other,
  person,
  recordOf,
} from './person.js';

export function readingTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('a record has everything about the person, and nothing about anyone else', async (storage) => {
      const record = await recordOf(storage);
      const { invitations, deliveries, ...rest } = record;
      const meeting = (id: number, startTime = new Date('2026-11-20T18:00:00.000Z')) => ({
        ...{ id, organizationId: 1, name: `Meeting ${id}`, startTime },
      });
      const upcoming = meeting(3, new Date('2026-11-21T18:00:00.000Z'));
      const entry = { organizationId: 1, at: noon, action: 'role-changed', from: null, isActor: false };
      expectEqual(rest, {
        account: { ...person, hasPassword: true, signedInAt: null },
        emails: [person.email],
        organizations: [{ id: 1, name: 'Organization 1' }],
        memberships: [
          {
            ...{ organizationId: 1, uuid: invitedUuid, role: 'member', idpId: 'canary-idp' },
            ...{ joinedAt: noon, isOnlyOwner: false },
          },
        ],
        sentInvitations: 1,
        sessions: [
          {
            ...{ boundTo: 1, startedBy: 'login-link', createdAt: noon, seenAt: noon },
            ...{ hasSecondFactor: false, device: 'canary-device' },
          },
        ],
        identities: [{ ...canaryIdentity, usedAt: noon }],
        secondFactor: {
          passkeys: [{ name: 'canary-key', isBackedUp: false, createdAt: noon, usedAt: null }],
          ...{ codesSince: noon, recoveryCodes: 2 },
        },
        directoryEntries: [{ organizationId: 1, uuid: invitedUuid, ...canaryEntry }],
        loginLinks: [{ organizationId: 1, createdAt: noon, expiresAt: later, redeemedAt: null }],
        mails: [{ kind: 'password-changed', email: person.email, createdAt: noon }],
        calendarFeeds: [{ organizationId: 1, createdAt: noon }],
        registrations: [meeting(1), meeting(2), upcoming].map((one) => ({
          ...{ meeting: one, registeredAt: noon },
        })),
        waitingPlaces: [
          { meeting: upcoming, status: 'offered', createdAt: noon, offeredUntil: upcoming.startTime },
        ],
        ledMeetings: [meeting(1)],
        auditEntries: [
          { ...entry, subject: `${person.email}: admin` },
          { ...entry, subject: other.email, isActor: true, from: '192.0.2.7' },
        ],
        events: [
          {
            ...{ id: testUuid(5007), name: eventName, organizationId: 1, createdAt: noon },
            body: ownBody,
          },
        ],
      });
      expectEqual(rows(invitations, 'email', 'firstName', 'userUuid', 'idpId', 'acceptedAt'), [
        [person.email, 'Canary-Invited', invitedUuid, 'canary-idp', noon],
      ]);
      expectEqual(rows(deliveries, 'eventId', 'state', 'body', 'attempts'), [
        [testUuid(5007), 'pending', ownBody, []],
      ]);
    }),

    test('a person is found by their UUID and by the UUID of an organization', async (storage) => {
      const record = await recordOf(storage);
      for (const uuid of [person.uuid, invitedUuid])
        expectEqual(await storage.personalData.read({ uuid }), record);
      const id = await invite(storage, { number: 2, email: 'invited@example.test', organizationId: 2 });
      const invited = await storage.personalData.read({ uuid: testUuid(2002) });
      expectEqual(each(invited?.invitations, 'id'), [id]);
      expectEqual(
        [invited?.account, invited?.emails, invited?.organizations],
        [null, ['invited@example.test'], [{ id: 2, name: 'Organization 2' }]],
      );
    }),

    test('there is no record of a person about whom nothing is stored', async (storage) => {
      expectEqual(await storage.personalData.read({ email: 'nobody@example.test' }), null);
      expectEqual(await storage.personalData.read({ uuid: testUuid(99) }), null);
    }),

    test('an earlier address belongs to the person, unless another user has it now', async (storage) => {
      const { users } = storage;
      await changeEmail(users, { from: person.email, to: 'second@example.test' });
      await changeEmail(users, { from: 'second@example.test', to: 'third@example.test' });
      const emails = async () => (await storage.personalData.read({ email: 'third@example.test' }))?.emails;
      expectEqual(await emails(), ['third@example.test', 'second@example.test', person.email]);
      await storage.load({ users: [aUser(20, { email: 'second@example.test' })] });
      expectEqual(await emails(), ['third@example.test', person.email]);
    }),
  ];
}

const ownBody = bodyOf(7, {
  id: person.id,
  uuid: invitedUuid,
  email: person.email,
  first_name: person.firstName,
});
