import type { PersonalRecord } from '../../../users/ports/personal-data.js';
import { testUuid } from '../../dataset.js';
import { type ContractTest, each, expectEqual, expectPassedOn, rows } from '../../expect.js';
import { aCall, answered, call } from '../../kept-answers.js';
import { anAuditEntry } from '../../new-audit-entry.js';
import { aNewPerson, anEntry, changeOf, instead, uuidOf } from '../../new-directory-person.js';
import { anInvitation } from '../../new-invitation.js';
import { aNewMember } from '../../new-member.js';
import { noon } from '../../noon.js';
import type { MakeTest } from '../../start-storage.js';
import {
  bodyOf,
  canaryEntry,
  canaryIdentity,
  changeEmail,
  erase,
  erased,
  invite,
  invitedUuid,
  later,
  other,
  person,
  recordOf,
} from './person.js';

export function erasingTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('an erased person is gone from every port', async (storage) => {
      expectEqual(await erase(storage), { organizationIds: [1], withoutOwner: [] });
      const { personalData, users, members, sessions, loginLinks, calendarFeeds, invitations } = storage;
      const key = { organizationId: 1, userId: person.id };
      const found = [
        await personalData.read({ email: person.email }),
        await personalData.read({ uuid: person.uuid }),
        await personalData.read({ uuid: invitedUuid }),
        await users.byEmail(person.email),
        await users.passwordHash(person.id),
        await members.byUserId(key),
        await members.byUuid({ organizationId: 1, uuid: invitedUuid }),
        await members.byIdpId({ organizationId: 1, idpId: 'canary-idp' }),
        await sessions.find('canary-s'),
        await storage.identities.of(key),
        await storage.identities.bySubject(canaryIdentity),
        await storage.directory.byUuid({ organizationId: 1, uuid: invitedUuid }),
        await storage.directory.byUserName({ organizationId: 1, userName: canaryEntry.userName }),
        await loginLinks.find('canary-l'),
        await calendarFeeds.find('canary-c'),
        await invitations.byUserUuid({ organizationId: 1, uuid: invitedUuid }),
      ];
      expectEqual(
        found,
        found.map(() => null),
      );
      expectEqual(await members.ofUser(person.id), []);
      const mails = await storage.mails.claim({ limit: 9, claim: testUuid(1), at: noon, until: noon });
      expectEqual(each(mails, 'email'), [other.email]);
      const listed = await invitations.list({ organizationId: 1, offset: 0, limit: 9 });
      expectEqual(rows(listed.invitations, 'email', 'inviter', 'invitedBy'), [
        [anInvitation(1).email, null, { kind: 'user', userId: 0 }],
      ]);
      expectEqual(await personalData.erase({ person: { email: person.email }, ...erased }), 'unknown');
    }),

    test('an invitation to an earlier address is read and erased, too', async (storage) => {
      const { personalData, users, invitations } = storage;
      const [from, to] = [person.email, 'canary-new@example.test'];
      const id = await invite(storage, { number: 70, email: from, organizationId: 2 });
      await changeEmail(users, { from, to });
      const record = await personalData.read({ email: to });
      expectEqual(each(record?.invitations, 'organizationId'), [1, 2]);
      expectEqual((await erase(storage, { person: { email: to } })).organizationIds, [1, 2]);
      expectEqual(await invitations.byId(id), null);
      expectEqual(await personalData.read({ email: from }), null);
    }),

    test('what a directory says about a person without an account is read and erased, too', async (storage) => {
      const { directory, personalData } = storage;
      const inactive = { isActive: false, email: 'known@example.test' };
      await directory.create(aNewPerson(1, inactive));
      await directory.create(aNewPerson(2, { isActive: false, email: 'other@example.test' }));
      await directory.create(aNewPerson(3));
      await directory.change(changeOf(3), instead({ isActive: false }));
      const key = { email: 'known@example.test' };
      const found = [await personalData.read(key), await personalData.read({ uuid: uuidOf(1) })];
      const entries = [{ organizationId: 1, uuid: uuidOf(1), ...anEntry(1, inactive) }];
      expectEqual(each(found as PersonalRecord[], 'directoryEntries'), [entries, entries]);
      expectEqual((await personalData.read({ uuid: uuidOf(3) }))?.account?.email, 'person-3@example.test');
      await erase(storage, { person: key });
      await erase(storage, { person: { uuid: uuidOf(3) } });
      expectEqual([await personalData.read(key), await personalData.read({ uuid: uuidOf(3) })], [null, null]);
      const left = await directory.list({ organizationId: 1, offset: 0, limit: 99 });
      const uuids = left.people.map(({ uuid }) => uuid);
      expectEqual(
        [1, 2, 3].map((number) => uuids.includes(uuidOf(number))),
        [false, true, false],
      );
    }),

    test('that the account was a directory’s, and its requests, are forgotten', async (storage) => {
      const { directory } = storage;
      const requested = async () => each(await directory.requests({ organizationId: 1, limit: 9 }), 'uuid');
      expectEqual(await requested(), [other.uuid, invitedUuid]);
      await directory.create(aNewPerson(1));
      await directory.remove(changeOf(1));
      await erase(storage, { person: { email: 'person-1@example.test' } });
      const again = await directory.create(aNewPerson(2, anEntry(1)));
      expectEqual(typeof again === 'string' ? again : again.uuid, uuidOf(2));
      await erase(storage);
      expectEqual(await requested(), [other.uuid, null]);
    }),

    test('a directory keeps an account for another organization', async (storage) => {
      await storage.directory.create(aNewPerson(1));
      const { personalData, directory } = storage;
      await directory.change(changeOf(1), instead({ isActive: false }));
      const request = { person: { email: 'person-1@example.test' }, ...erased, onlyOf: 2 };
      expectEqual(await personalData.erase(request), 'unknown');
      const elsewhere = aNewPerson(2, { email: 'person-1@example.test' }, 2);
      await directory.create(elsewhere);
      const invitation = await storage.invitations.byUserUuid({ organizationId: 2, uuid: uuidOf(2) });
      const user = await storage.users.byEmail('person-1@example.test');
      await storage.members.register(
        aNewMember({ id: user?.id ?? 0 }, { organizationId: 2, invitationId: invitation?.id ?? '' }),
      );
      expectEqual(await personalData.erase(request), 'in-other-organization');
    }),

    test('a trial of sign-on by the person stays, without them', async (storage) => {
      await erase(storage);
      expectEqual((await storage.signOns.of(1))?.tested, { by: null, at: noon });
      expectEqual((await storage.signOns.of(2))?.tested, { by: 8, at: noon });
    }),

    test('everyone else keeps everything', async (storage) => {
      const { personalData, sessions, loginLinks } = storage;
      const before = await Promise.all([8, 9, 2].map((id) => readUser(storage, id)));
      await erase(storage);
      const after = await Promise.all([8, 9, 2].map((id) => readUser(storage, id)));
      expectEqual(after, before);
      expectEqual((await sessions.find('s'))?.user.id, other.id);
      expectEqual((await storage.identities.of({ organizationId: 1, userId: 8 }))?.subject, 'subject 8');
      expectEqual((await loginLinks.find('l'))?.userId, other.id);
      expectEqual(await personalData.read({ email: person.email }), null);
    }),

    test('the same address can be invited again, as a new person', async (storage) => {
      await erase(storage);
      await invite(storage, { number: 30, email: person.email, idpId: 'canary-idp' });
      const record = await recordOf(storage);
      expectEqual(
        [record.account, record.invitations.length, record.events, record.auditEntries],
        [null, 1, [], []],
      );
    }),

    test('a person who was only invited is erased by the address', async (storage) => {
      for (const organizationId of [1, 2])
        await invite(storage, { number: 40 + organizationId, email: 'invited@example.test', organizationId });
      const request = { person: { email: 'invited@example.test' } };
      expectEqual(await erase(storage, request), { organizationIds: [1, 2], withoutOwner: [] });
      expectEqual(await storage.personalData.read(request.person), null);
      expectEqual((await recordOf(storage)).invitations.length, 1);
    }),

    test('an audit entry stays without the person', async (storage) => {
      const subjects = [
        ['email-changed', `old@example.test → ${person.email}`],
        ['idp-id-set', `${person.email}: canary-idp`],
        ['idp-id-set', `${other.email}: idp-8`],
        ['user-invited', person.email.toUpperCase()],
      ] as const;
      for (const [action, subject] of subjects)
        await storage.auditTrail.record(anAuditEntry({ action, subject }));
      await erase(storage);
      const { entries, total } = await storage.auditTrail.list({ organizationId: 1, offset: 0, limit: 99 });
      expectEqual(
        entries
          .map(({ actor, user, action, subject }) => [actor.who, actor.from, user, action, subject])
          .reverse(),
        [
          [{ kind: 'command-line' }, null, null, 'role-changed', 'an erased person: admin'],
          [{ kind: 'command-line' }, null, null, 'role-changed', `${other.email}: admin`],
          [{ kind: 'user', userId: 0 }, null, null, 'role-changed', other.email],
          [{ kind: 'command-line' }, null, null, 'email-changed', 'an erased person'],
          [{ kind: 'command-line' }, null, null, 'idp-id-set', 'an erased person'],
          [{ kind: 'command-line' }, null, null, 'idp-id-set', `${other.email}: idp-8`],
          [{ kind: 'command-line' }, null, null, 'user-invited', 'an erased person'],
        ],
      );
      expectEqual(total, entries.length);
    }),

    test('an audit entry forgets that it concerns the person, and which invitation or delivery of theirs', async (storage) => {
      const about = { action: 'delivery-redelivered', subject: 'an event' } as const;
      await storage.auditTrail.record(anAuditEntry({ ...about, aboutUserId: person.id, objectId: '1' }));
      const invited = { action: 'user-invited', objectId: testUuid(7) } as const;
      await storage.auditTrail.record(anAuditEntry({ ...invited, subject: person.email }));
      await storage.auditTrail.record(anAuditEntry({ ...invited, subject: other.email }));
      const { auditEntries } = await recordOf(storage);
      expectEqual(
        auditEntries
          .filter(({ subject }) => subject === about.subject)
          .map(({ isActor, from }) => [isActor, from]),
        [[false, null]],
      );
      await erase(storage);
      const { entries } = await storage.auditTrail.list({ organizationId: 1, offset: 0, limit: 3 });
      expectEqual(
        entries.map(({ subject, objectId }) => [subject, objectId]),
        [
          [other.email, testUuid(7)],
          ['an erased person', null],
          ['an event', null],
        ],
      );
    }),

    test('an event stays in its place in the feed, without the person', async (storage) => {
      const read = () => storage.eventFeed.read({ organizationId: 1, after: null, order: 'asc', limit: 9 });
      const before = await read();
      await erase(storage);
      const after = await read();
      if ('oldest' in before || 'oldest' in after) throw new Error('The feed is expired');
      const [first, ...others] = before.events;
      expectEqual(after, {
        ...before,
        events: [{ ...first, body: bodyOf(7, null) }, ...others],
      });
      expectEqual(others.length, 1);
      const next = { position: first?.position ?? 0, eventId: testUuid(5007) };
      const rest = await storage.eventFeed.read({ organizationId: 1, after: next, order: 'asc', limit: 9 });
      expectEqual('events' in rest && rest.events, others);
    }),

    test('stored answers are removed where the person was, and no others', async (storage) => {
      const { idempotencyKeys } = storage;
      const begin = (organizationId: number, key: string) =>
        idempotencyKeys.begin(aCall({ organizationId, key }));
      for (const organizationId of [1, 2]) {
        await begin(organizationId, 'done');
        await idempotencyKeys.finish({ ...call('done', 1), organizationId });
      }
      await begin(1, 'running');
      await erase(storage);
      expectEqual(await begin(2, 'done'), answered);
      expectEqual(await begin(1, 'running'), 'running');
      expectEqual(await begin(1, 'done'), 'fresh');
    }),

    test('the action and its audit entry are kept together', async (storage) => {
      const request = { person: { email: person.email }, ...erased };
      await expectPassedOn((fail) => storage.personalData.erase(request, fail));
      expectEqual((await recordOf(storage)).account?.id, person.id);
      const built: unknown[] = [];
      const organization = await storage.organizations.byId(1);
      const member = await storage.members.byUserId({ organizationId: 1, userId: person.id });
      await storage.personalData.erase(request, (result) => {
        built.push(result);
        return [anAuditEntry({ at: later, action: 'user-erased' })];
      });
      expectEqual(built, [{ organizationIds: [1], withoutOwner: [], ended: [{ organization, member }] }]);
      const { entries } = await storage.auditTrail.list({ organizationId: 1, offset: 0, limit: 1 });
      expectEqual(each(entries, 'action'), ['user-erased']);
    }),
  ];
}

async function readUser(storage: Parameters<typeof recordOf>[0], id: number) {
  const email = id === other.id ? other.email : `user-${id}@example.test`;
  return storage.personalData.read({ email });
}
