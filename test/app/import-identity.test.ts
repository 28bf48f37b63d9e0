import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anOrganization, aUser, testUuid } from '@rollcall/core/testing';
import {
  acceptInvitation,
  importError,
  importRecords,
  joined,
  joinThroughInvitation,
  meetingRecord,
  memberRecord,
  password,
  readEmails,
  readPeople,
  userRecord,
} from '../support/import-identity.js';
import { type StoredTestService, startTestService } from '../support/test-service.js';

/** A user of the platform, with the next number after those in the test service. */
const platformUser = {
  kind: 'user',
  id: 101,
  uuid: testUuid(101),
  email: 'boss@platform.test',
  first_name: 'Bo',
  last_name: 'Ss',
};

/** The first number that Rollcall assigns. */
const FIRST_ASSIGNED = 1_000_000_000_001;

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`The account that a record of a dataset belongs to, over ${engine}`, () => {
    const serviceTest = (name: string, work: (service: StoredTestService) => Promise<void>) =>
      test(name, async (t) => {
        const service = await startTestService({ database: engine });
        t.after(() => service.stop());
        await service.load({
          organizations: [anOrganization(1), anOrganization(2)],
          users: [aUser(100)],
          memberships: [{ organizationId: 1, userId: 100, role: 'owner', idpId: null }],
        });
        await work(service);
      });

    serviceTest(
      'a person who joined here keeps their account if the platform has a user with the next number',
      async (service) => {
        await joinThroughInvitation(service);
        await importRecords(service, [platformUser, memberRecord(101, 'owner')]);
        const { user } = await service.core.signIn({ email: joined.email, password, address: '192.0.2.1' });
        assert.deepEqual([user.email, user.id], [joined.email, FIRST_ASSIGNED]);
        assert.deepEqual(await readEmails(service), [
          'user-100@example.test',
          'boss@platform.test',
          joined.email,
        ]);
        const boss = await service.ports.members.byUserId({ organizationId: 1, userId: 101 });
        assert.deepEqual([boss?.user.email, boss?.role], ['boss@platform.test', 'owner']);
        const nora = await service.ports.members.byUserId({ organizationId: 1, userId: FIRST_ASSIGNED });
        assert.equal(nora?.role, 'member');
      },
    );

    serviceTest(
      'users and organizations created here have numbers that no dataset can use',
      async (service) => {
        const { core } = service;
        const registered = await core.registerUser({ ...joined, organizationId: 1 });
        const created = await core.addUser({ ...joined, email: 'created@here.test', password: null });
        const first = await core.createOrganization({ name: 'First', eap: false });
        assert.deepEqual(
          [registered.user.id, created.id, first.id],
          [FIRST_ASSIGNED, FIRST_ASSIGNED + 1, FIRST_ASSIGNED],
        );
        for (const [record, field] of [
          [{ ...platformUser, id: FIRST_ASSIGNED + 9 }, 'id'],
          [{ ...platformUser, id: FIRST_ASSIGNED - 1 }, 'id'],
          [{ kind: 'organization', id: FIRST_ASSIGNED + 9, name: 'Ours' }, 'id'],
        ] as const) {
          assert.deepEqual(await importError(service, [record]), [
            1,
            field,
            'must be at most 999999999999: numbers above are given by Rollcall',
          ]);
        }
        const third = { kind: 'organization', id: 3, name: 'The platform’s next' };
        await importRecords(service, [third, { kind: 'organization', id: first.id, name: 'Renamed' }]);
        assert.deepEqual(
          (await service.ports.organizations.list()).map(({ id, name }) => [id, name]),
          [
            [1, 'Organization 1'],
            [2, 'Organization 2'],
            [3, 'The platform’s next'],
            [FIRST_ASSIGNED, 'Renamed'],
          ],
        );
      },
    );

    serviceTest('a dataset can change a person and an organization created here', async (service) => {
      const { user } = await service.core.registerUser({ ...joined, organizationId: 1 });
      const { id: organizationId } = await service.core.createOrganization({ name: 'First', eap: false });
      const renamed = { ...userRecord(user), first_name: 'Eleonora' };
      await importRecords(service, [
        renamed,
        { ...memberRecord(user.id), organization_id: organizationId },
        memberRecord(user.id, 'admin'),
      ]);
      const member = await service.ports.members.byUserId({ organizationId: 1, userId: user.id });
      assert.deepEqual([member?.role, member?.user.firstName], ['admin', 'Eleonora']);
      assert.equal((await service.ports.members.ofUser(user.id)).length, 2);
      const stranger = { ...renamed, uuid: testUuid(77) };
      const [line, field] = await importError(service, [stranger]);
      assert.deepEqual([line, field], [1, 'uuid']);
    });

    serviceTest(
      'a person who joined here and whom the platform knows by UUID has one account under both numbers',
      async (service) => {
        const { user } = await joinThroughInvitation(service);
        const known = { ...userRecord(user), id: 500, last_name: 'Berg-Lund' };
        const dataset = [
          known,
          meetingRecord(1, { group_leader_id: 500 }),
          { kind: 'registration', meeting_id: 1, user_id: 500 },
          { kind: 'waitlist_entry', meeting_id: 1, user_id: 500, status: 'waiting' },
          memberRecord(500, 'admin'),
        ];
        await importRecords(service, dataset);
        const after = await readPeople(service);
        await importRecords(service, dataset);
        assert.deepEqual(await readPeople(service), after);
        assert.deepEqual(after.people, [
          ['user-100@example.test', 100, 'First100', null],
          [joined.email, FIRST_ASSIGNED, 'Nora', 500],
        ]);
        assert.deepEqual(after.references, [FIRST_ASSIGNED, FIRST_ASSIGNED, FIRST_ASSIGNED]);
        const signedIn = await service.core.signIn({ email: joined.email, password, address: '192.0.2.1' });
        assert.equal(signedIn.user.lastName, 'Berg-Lund');
        assert.equal(
          (await service.ports.members.byUserId({ organizationId: 1, userId: FIRST_ASSIGNED }))?.role,
          'admin',
        );

        // The number is known without a record of the user.
        await importRecords(service, [{ kind: 'registration', meeting_id: 1, user_id: 500, deleted: true }]);
        assert.deepEqual((await readPeople(service)).references, [FIRST_ASSIGNED, FIRST_ASSIGNED]);
        assert.deepEqual(await importError(service, [{ ...known, id: FIRST_ASSIGNED }, known]), [
          2,
          'id',
          `users ${FIRST_ASSIGNED} and 500 are one person: use one of the numbers`,
        ]);
        assert.deepEqual(await importError(service, [memberRecord(500), memberRecord(FIRST_ASSIGNED)]), [
          2,
          'user_id',
          `users ${FIRST_ASSIGNED} and 500 are one person: use one of the numbers`,
        ]);
        assert.deepEqual(await importError(service, [{ ...known, id: 501 }]), [
          1,
          'uuid',
          `user ${FIRST_ASSIGNED} has the same`,
        ]);
        await importRecords(service, [
          { kind: 'meeting', id: 1, deleted: true },
          { kind: 'user', id: 500, deleted: true },
        ]);
        assert.deepEqual(await readEmails(service), ['user-100@example.test']);
        // The platform can use the number for someone else.
        await importRecords(service, [{ ...platformUser, id: 500 }]);
        assert.deepEqual((await readPeople(service)).people.at(-1), ['boss@platform.test', 500, 'Bo', null]);
      },
    );

    serviceTest(
      'the UUID that an organization received with an invitation identifies the person too',
      async (service) => {
        const known = await service.core.addUser({ ...joined, password });
        const invited = await service.core.inviteUser({ organization: { id: 2 }, ...joined });
        await acceptInvitation(service, invited.invitationUrl, { is: 'known', password });
        const record = { ...userRecord(known), id: 500, uuid: invited.uuid };
        await importRecords(service, [record, memberRecord(500)]);
        await importRecords(service, [record, memberRecord(500)]);
        const { people } = await readPeople(service);
        assert.deepEqual(people.at(-1), [joined.email, FIRST_ASSIGNED, 'Nora', 500]);
        const { uuid } = (await service.ports.users.byEmail(joined.email)) ?? {};
        assert.equal(uuid, known.uuid);
        const member = await service.ports.members.byUuid({ organizationId: 2, uuid: invited.uuid });
        assert.equal(member?.user.id, FIRST_ASSIGNED);

        const theirs = await service.core.inviteUser({
          ...joined,
          organization: { id: 2 },
          email: 'user-100@example.test',
        });
        await service.ports.users.setPasswordHash({
          userId: 100,
          hash: await service.ports.passwords.hash(password),
        });
        await acceptInvitation(service, theirs.invitationUrl, { is: 'known', password });
        assert.deepEqual(await importError(service, [{ ...platformUser, uuid: theirs.uuid }]), [
          1,
          'uuid',
          'user 100 has the same: an organization knows them by it',
        ]);
      },
    );

    serviceTest(
      'the UUID of a pending invitation is refused for another address, and taken for that of the invitation',
      async (service) => {
        const invited = await service.core.inviteUser({ organization: { id: 1 }, ...joined });
        assert.deepEqual(await importError(service, [{ ...platformUser, uuid: invited.uuid }]), [
          1,
          'uuid',
          'belongs to a pending invitation for another address than that of user 101: revoke the invitation first',
        ]);
        await importRecords(service, [{ ...platformUser, uuid: invited.uuid, email: joined.email }]);
        const revoked = await service.core.inviteUser({
          ...joined,
          organization: { id: 1 },
          email: 'other@example.test',
        });
        const listed = await service.core.listInvitations({ organization: { id: 1 } });
        const invitationId = listed.items.find(({ email }) => email === 'other@example.test')?.id ?? '';
        await service.core.revokeInvitation({ organization: { id: 1 }, invitationId });
        await importRecords(service, [
          { ...platformUser, id: 102, uuid: revoked.uuid, email: 'third@example.test' },
        ]);
      },
    );

    serviceTest(
      'the idp_id of a pending invitation is refused for another address, and taken for that of the invitation',
      async (service) => {
        await service.core.inviteUser({ organization: { id: 1 }, ...joined, idpId: 'nw-7' });
        const membership = {
          kind: 'membership',
          organization_id: 1,
          user_id: 101,
          role: 'member',
          idp_id: 'nw-7',
        };
        assert.deepEqual(await importError(service, [platformUser, membership]), [
          2,
          'idp_id',
          'belongs to a pending invitation for another address than that of user 101: revoke the invitation first',
        ]);
        await importRecords(service, [{ ...platformUser, email: joined.email }, membership]);
        const member = await service.ports.members.byIdpId({ organizationId: 1, idpId: 'nw-7' });
        assert.equal(member?.user.id, 101);
      },
    );

    serviceTest(
      'an import that would give an account to another UUID is refused, and keeps nothing',
      async (service) => {
        const before = await readPeople(service);
        const [line, field, message] = await importError(service, [
          { kind: 'organization', id: 7, name: 'Seven' },
          { ...platformUser, id: 100 },
        ]);
        assert.deepEqual([line, field], [2, 'uuid']);
        assert.equal(
          message,
          `user 100 is user-100@example.test (UUID ${testUuid(100)}), but this record is for boss@platform.test (UUID ${testUuid(101)}): ` +
            'an import never gives an account to another person. If the platform reassigned the number, first remove user ' +
            '100 in an import of its own',
        );
        assert.deepEqual(await readPeople(service), before);
      },
    );

    serviceTest(
      'an import can change the address of a person only if they have no password',
      async (service) => {
        const moved = { ...userRecord(aUser(100)), email: 'moved@example.test' };
        await importRecords(service, [moved]);
        assert.deepEqual(await readEmails(service), ['moved@example.test']);
        await service.ports.users.setPasswordHash({
          userId: 100,
          hash: await service.ports.passwords.hash(password),
        });
        await importRecords(service, [{ ...moved, email: ' Moved@Example.TEST', first_name: 'Same' }]);
        const before = await readPeople(service);
        const again = { ...moved, email: 'again@example.test' };
        assert.deepEqual(await importError(service, [again]), [
          1,
          'email',
          'user 100 signs in as moved@example.test with a password, but this record says again@example.test: ' +
            'an import never changes the address of a person who has a password. To change it, run: ' +
            'rollcall user set-email --email moved@example.test --to again@example.test',
        ]);
        assert.deepEqual(await readPeople(service), before);
        await service.core.setEmail({ email: 'moved@example.test', to: 'again@example.test' });
        await importRecords(service, [again]);
        const hostile = { ...moved, email: "a'`id`&b@example.test" };
        const [, , message] = await importError(service, [hostile]);
        assert.match(String(message), / --to 'a'\\''`id`&b@example\.test'$/);
      },
    );
  });
}
