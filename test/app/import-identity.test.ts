import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anOrganization, aUser, testUuid } from '@rollcall/core/testing';
import type { Database } from '#adapters/sql/index.js';
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
import { startTestService, type TestService } from '../support/test-service.js';

/** The platform's user whose number is the next one after those of the service below. */
const platformUser = {
  kind: 'user',
  id: 101,
  uuid: testUuid(101),
  email: 'boss@platform.test',
  first_name: 'Bo',
  last_name: 'Ss',
};

/** The first number that is given here. */
const OWN = 1_000_000_000_001;

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`Whose account a row is, when a dataset is imported over ${engine}`, () => {
    const serviceTest = (
      name: string,
      work: (service: TestService & { readonly database: Database }) => Promise<void>,
    ) =>
      test(name, async () => {
        const service = await startTestService({ database: engine });
        const { database } = service;
        assert.ok(database !== null);
        try {
          await service.load({
            organizations: [anOrganization(1), anOrganization(2)],
            users: [aUser(100)],
            memberships: [{ organizationId: 1, userId: 100, role: 'owner', idpId: null }],
          });
          await work({ ...service, database });
        } finally {
          await service.stop();
        }
      });

    serviceTest(
      'a person who joined here stays who they are when the platform has a user with the next number',
      async (service) => {
        await joinThroughInvitation(service);
        await importRecords(service, [platformUser, memberRecord(101, 'owner')]);
        const { user } = await service.core.signIn({ email: joined.email, password, address: '192.0.2.1' });
        assert.deepEqual([user.email, user.id], [joined.email, OWN]);
        assert.deepEqual(await readEmails(service), [
          'user-100@example.test',
          'boss@platform.test',
          joined.email,
        ]);
        const boss = await service.ports.members.byUserId({ organizationId: 1, userId: 101 });
        assert.deepEqual([boss?.user.email, boss?.role], ['boss@platform.test', 'owner']);
        const nora = await service.ports.members.byUserId({ organizationId: 1, userId: OWN });
        assert.equal(nora?.role, 'member');
      },
    );

    serviceTest(
      'users and organizations that are made here have numbers that no dataset can give',
      async (service) => {
        const { core } = service;
        const registered = await core.registerUser({ ...joined, organizationId: 1 });
        const created = await core.createUser({ ...joined, email: 'made@here.test', password: null });
        const first = await core.createOrganization({ name: 'First', eap: false });
        assert.deepEqual([registered.user.id, created.id, first.id], [OWN, OWN + 1, OWN]);
        for (const [record, field] of [
          [{ ...platformUser, id: OWN + 9 }, 'id'],
          [{ ...platformUser, id: OWN - 1 }, 'id'],
          [{ kind: 'organization', id: OWN + 9, name: 'Ours' }, 'id'],
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
            [OWN, 'Renamed'],
          ],
        );
      },
    );

    serviceTest(
      'what a dataset says of a person or an organization that was made here reaches them',
      async (service) => {
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
      },
    );

    serviceTest(
      'a person who joined here and whom the platform knows by their UUID is one account, under either number',
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
          [joined.email, OWN, 'Nora', 500],
        ]);
        assert.deepEqual(after.references, [OWN, OWN, OWN]);
        const signedIn = await service.core.signIn({ email: joined.email, password, address: '192.0.2.1' });
        assert.equal(signedIn.user.lastName, 'Berg-Lund');
        assert.equal(
          (await service.ports.members.byUserId({ organizationId: 1, userId: OWN }))?.role,
          'admin',
        );

        // Alone, without a record of the user.
        await importRecords(service, [{ kind: 'registration', meeting_id: 1, user_id: 500, deleted: true }]);
        assert.deepEqual((await readPeople(service)).references, [OWN, OWN]);
        assert.deepEqual(await importError(service, [{ ...known, id: OWN }, known]), [
          2,
          'id',
          `users ${OWN} and 500 are one person: use one of the numbers`,
        ]);
        assert.deepEqual(await importError(service, [memberRecord(500), memberRecord(OWN)]), [
          2,
          'user_id',
          `users ${OWN} and 500 are one person: use one of the numbers`,
        ]);
        assert.deepEqual(await importError(service, [{ ...known, id: 501 }]), [
          1,
          'uuid',
          `user ${OWN} has the same`,
        ]);
        await importRecords(service, [
          { kind: 'meeting', id: 1, deleted: true },
          { kind: 'user', id: 500, deleted: true },
        ]);
        assert.deepEqual(await readEmails(service), ['user-100@example.test']);
        // The number is the platform's again.
        await importRecords(service, [{ ...platformUser, id: 500 }]);
        assert.deepEqual((await readPeople(service)).people.at(-1), ['boss@platform.test', 500, 'Bo', null]);
      },
    );

    serviceTest(
      'the UUID that an organization was told at an invitation is that of the person too',
      async (service) => {
        const known = await service.core.createUser({ ...joined, password });
        const invited = await service.core.inviteUser({ organization: { id: 2 }, ...joined });
        await acceptInvitation(service, invited.invitationUrl, { is: 'known', password });
        const record = { ...userRecord(known), id: 500, uuid: invited.uuid };
        await importRecords(service, [record, memberRecord(500)]);
        await importRecords(service, [record, memberRecord(500)]);
        const { people } = await readPeople(service);
        assert.deepEqual(people.at(-1), [joined.email, OWN, 'Nora', 500]);
        const { uuid } = (await service.ports.users.byEmail(joined.email)) ?? {};
        assert.equal(uuid, known.uuid);
        const told = await service.ports.members.byUuid({ organizationId: 2, uuid: invited.uuid });
        assert.equal(told?.user.id, OWN);

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
            '100 in an import of its own. If the account was made here, run: rollcall user detach --email user-100@example.test',
        );
        assert.deepEqual(await readPeople(service), before);
      },
    );

    serviceTest(
      'an import that would change the address of a person with a password is refused, any other not',
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

    serviceTest(
      'a number that an account made here has by an earlier release is another one for the platform’s user',
      async (service) => {
        // As a release before did it: the next number, and the UUID of the invitation.
        const { user } = await joinThroughInvitation(service);
        await service.database.write(async (sql) => {
          await sql.run('DELETE FROM sessions');
          await sql.run('DELETE FROM memberships WHERE user_id = ?', [user.id]);
          await sql.run('UPDATE users SET id = 101 WHERE id = ?', [user.id]);
          await sql.run('INSERT INTO platform_numbers (user_id, platform_id) VALUES (101, NULL)');
        });
        assert.deepEqual(await importError(service, [memberRecord(101)]), [
          1,
          'user_id',
          'there is no user 101',
        ]);
        const dataset = [
          platformUser,
          memberRecord(101, 'owner'),
          meetingRecord(1, { group_leader_id: 101 }),
        ];
        await importRecords(service, dataset);
        const after = await readPeople(service);
        await importRecords(service, dataset);
        assert.deepEqual(await readPeople(service), after);
        const own = OWN + 1;
        assert.deepEqual(after.people, [
          ['user-100@example.test', 100, 'First100', null],
          [joined.email, 101, 'Nora', null],
          ['boss@platform.test', own, 'Bo', 101],
        ]);
        assert.deepEqual(after.references, [own]);
        assert.equal(
          (await service.ports.members.byUserId({ organizationId: 1, userId: own }))?.role,
          'owner',
        );

        // The platform knows the one with the old number too, by another number of its own.
        await importRecords(service, [{ ...userRecord(user), id: 102 }, ...dataset, memberRecord(102)]);
        const { people } = await readPeople(service);
        assert.deepEqual(people[1], [joined.email, 101, 'Nora', 102]);
        await importRecords(service, [
          { kind: 'meeting', id: 1, deleted: true },
          { kind: 'user', id: 101, deleted: true },
        ]);
        assert.deepEqual(await readEmails(service), ['user-100@example.test', joined.email]);
      },
    );
  });
}

// ── What the tests say ─────────────────────────────────────────────────────────────────────────────────────
