import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { Secret } from '@rollcall/core';
import { anOrganization, aUser, testUuid } from '@rollcall/core/testing';
import type { Database, DatasetError } from '#adapters/sql/index.js';
import { loadDataset } from '#app/dataset/load-dataset.js';
import { startTestService, type TestService, testNow } from '../support/test-service.js';

type Fields = Readonly<Record<string, unknown>>;

const password = new Secret('correct horse');
const joined = { email: 'nora@joined.test', firstName: 'Nora', lastName: 'Berg' };
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
        await join(service);
        await imported(service, [platformUser, memberOf(101, 'owner')]);
        const { user } = await service.core.signIn({ email: joined.email, password, address: '192.0.2.1' });
        assert.deepEqual([user.email, user.id], [joined.email, OWN]);
        assert.deepEqual(await emails(service), [
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
          assert.deepEqual(await refused(service, [record]), [
            1,
            field,
            'must be at most 999999999999: numbers above are given by Rollcall',
          ]);
        }
        const third = { kind: 'organization', id: 3, name: 'The platform’s next' };
        await imported(service, [third, { kind: 'organization', id: first.id, name: 'Renamed' }]);
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
        const renamed = { ...recordOf(user), first_name: 'Eleonora' };
        await imported(service, [
          renamed,
          { ...memberOf(user.id), organization_id: organizationId },
          memberOf(user.id, 'admin'),
        ]);
        const member = await service.ports.members.byUserId({ organizationId: 1, userId: user.id });
        assert.deepEqual([member?.role, member?.user.firstName], ['admin', 'Eleonora']);
        assert.equal((await service.ports.members.ofUser(user.id)).length, 2);
        const stranger = { ...renamed, uuid: testUuid(77) };
        const [line, field] = await refused(service, [stranger]);
        assert.deepEqual([line, field], [1, 'uuid']);
      },
    );

    serviceTest(
      'a person who joined here and whom the platform knows by their UUID is one account, under either number',
      async (service) => {
        const { user } = await join(service);
        const known = { ...recordOf(user), id: 500, last_name: 'Berg-Lund' };
        const dataset = [
          known,
          meeting(1, { group_leader_id: 500 }),
          { kind: 'registration', meeting_id: 1, user_id: 500 },
          { kind: 'waitlist_entry', meeting_id: 1, user_id: 500, status: 'waiting' },
          memberOf(500, 'admin'),
        ];
        await imported(service, dataset);
        const after = await dump(service);
        await imported(service, dataset);
        assert.deepEqual(await dump(service), after);
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
        await imported(service, [{ kind: 'registration', meeting_id: 1, user_id: 500, deleted: true }]);
        assert.deepEqual((await dump(service)).references, [OWN, OWN]);
        assert.deepEqual(await refused(service, [{ ...known, id: OWN }, known]), [
          2,
          'id',
          `users ${OWN} and 500 are one person: use one of the numbers`,
        ]);
        assert.deepEqual(await refused(service, [memberOf(500), memberOf(OWN)]), [
          2,
          'user_id',
          `users ${OWN} and 500 are one person: use one of the numbers`,
        ]);
        assert.deepEqual(await refused(service, [{ ...known, id: 501 }]), [
          1,
          'uuid',
          `user ${OWN} has the same`,
        ]);
        await imported(service, [
          { kind: 'meeting', id: 1, deleted: true },
          { kind: 'user', id: 500, deleted: true },
        ]);
        assert.deepEqual(await emails(service), ['user-100@example.test']);
        // The number is the platform's again.
        await imported(service, [{ ...platformUser, id: 500 }]);
        assert.deepEqual((await dump(service)).people.at(-1), ['boss@platform.test', 500, 'Bo', null]);
      },
    );

    serviceTest(
      'the UUID that an organization was told at an invitation is that of the person too',
      async (service) => {
        const known = await service.core.createUser({ ...joined, password });
        const invited = await service.core.inviteUser({ organization: { id: 2 }, ...joined });
        await accept(service, invited.invitationUrl, { is: 'known', password });
        const record = { ...recordOf(known), id: 500, uuid: invited.uuid };
        await imported(service, [record, memberOf(500)]);
        await imported(service, [record, memberOf(500)]);
        const { people } = await dump(service);
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
        await accept(service, theirs.invitationUrl, { is: 'known', password });
        assert.deepEqual(await refused(service, [{ ...platformUser, uuid: theirs.uuid }]), [
          1,
          'uuid',
          'user 100 has the same: an organization knows them by it',
        ]);
      },
    );

    serviceTest(
      'an import that would give an account to another UUID is refused, and keeps nothing',
      async (service) => {
        const before = await dump(service);
        const [line, field, message] = await refused(service, [
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
        assert.deepEqual(await dump(service), before);
      },
    );

    serviceTest(
      'an import that would change the address of a person with a password is refused, any other not',
      async (service) => {
        const moved = { ...recordOf(aUser(100)), email: 'moved@example.test' };
        await imported(service, [moved]);
        assert.deepEqual(await emails(service), ['moved@example.test']);
        await service.ports.users.setPasswordHash({
          userId: 100,
          hash: await service.ports.passwords.hash(password),
        });
        await imported(service, [{ ...moved, email: ' Moved@Example.TEST', first_name: 'Same' }]);
        const before = await dump(service);
        const again = { ...moved, email: 'again@example.test' };
        assert.deepEqual(await refused(service, [again]), [
          1,
          'email',
          'user 100 signs in as moved@example.test with a password, but this record says again@example.test: ' +
            'an import never changes the address of a person who has a password. To change it, run: ' +
            'rollcall user set-email --email moved@example.test --to again@example.test',
        ]);
        assert.deepEqual(await dump(service), before);
        await service.core.setEmail({ email: 'moved@example.test', to: 'again@example.test' });
        await imported(service, [again]);
        const hostile = { ...moved, email: "a'`id`&b@example.test" };
        const [, , message] = await refused(service, [hostile]);
        assert.match(String(message), / --to 'a'\\''`id`&b@example\.test'$/);
      },
    );

    serviceTest(
      'a number that an account made here has by an earlier release is another one for the platform’s user',
      async (service) => {
        // As a release before did it: the next number, and the UUID of the invitation.
        const { user } = await join(service);
        await service.database.write(async (sql) => {
          await sql.run('DELETE FROM sessions');
          await sql.run('DELETE FROM memberships WHERE user_id = ?', [user.id]);
          await sql.run('UPDATE users SET id = 101 WHERE id = ?', [user.id]);
          await sql.run('INSERT INTO platform_numbers (user_id, platform_id) VALUES (101, NULL)');
        });
        assert.deepEqual(await refused(service, [memberOf(101)]), [1, 'user_id', 'there is no user 101']);
        const dataset = [platformUser, memberOf(101, 'owner'), meeting(1, { group_leader_id: 101 })];
        await imported(service, dataset);
        const after = await dump(service);
        await imported(service, dataset);
        assert.deepEqual(await dump(service), after);
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
        await imported(service, [{ ...recordOf(user), id: 102 }, ...dataset, memberOf(102)]);
        const { people } = await dump(service);
        assert.deepEqual(people[1], [joined.email, 101, 'Nora', 102]);
        await imported(service, [
          { kind: 'meeting', id: 1, deleted: true },
          { kind: 'user', id: 101, deleted: true },
        ]);
        assert.deepEqual(await emails(service), ['user-100@example.test', joined.email]);
      },
    );
  });
}

// ── What the tests say ─────────────────────────────────────────────────────────────────────────────────────

async function join(service: TestService) {
  const { invitationUrl } = await service.core.inviteUser({ organization: { id: 1 }, ...joined });
  const { firstName, lastName } = joined;
  return accept(service, invitationUrl, { is: 'new', firstName, lastName, password });
}

function accept(
  service: TestService,
  url: string,
  person: Parameters<TestService['core']['acceptInvitation']>[0]['person'],
) {
  const token = url.split('/').at(-1) ?? '';
  return service.core.acceptInvitation({ token, person, address: '192.0.2.1' });
}

function memberOf(userId: number, role = 'member'): Fields {
  return { kind: 'membership', organization_id: 1, user_id: userId, role };
}

function meeting(id: number, given: Fields = {}): Fields {
  return {
    kind: 'meeting',
    id,
    organization_id: 1,
    name: 'Grief circle',
    meeting_type: 'Group',
    start_time: '2026-11-20T18:00:00Z',
    duration: 60,
    status: 'scheduled',
    location: 'zoom',
    ...given,
  };
}

function recordOf(user: ReturnType<typeof aUser>): Fields {
  const { id, uuid, email, firstName, lastName } = user;
  return { kind: 'user', id, uuid, email, first_name: firstName, last_name: lastName };
}

type At = TestService & { readonly database: Database };

async function imported({ database }: At, records: readonly Fields[]): Promise<void> {
  const source = Readable.from([
    Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join('')),
  ]);
  await loadDataset({
    database,
    source,
    rules: {
      locations: ['service', 'zoom'],
      accessKeyHashes: (accessKey) => [accessKey],
      organizationOf: async () => null,
    },
    at: testNow,
  });
}

async function refused(service: At, records: readonly Fields[]): Promise<readonly unknown[]> {
  return imported(service, records).then(
    () => ['imported'],
    ({ line, field, message }: DatasetError) => [line, field, message],
  );
}

async function emails({ database }: At): Promise<readonly string[]> {
  const rows = await database.read.all<{ email: string }>('SELECT email FROM users ORDER BY id');
  return rows.map(({ email }) => email);
}

/** The people with their numbers, and who is referred to. */
async function dump({ database }: At) {
  const people = await database.read.rows(
    `SELECT email, users.id, first_name, platform_id FROM users
    LEFT JOIN platform_numbers ON user_id = users.id ORDER BY users.id`,
  );
  const references = await database.read.all<{ user_id: number }>(
    `SELECT group_leader_id AS user_id FROM meetings WHERE group_leader_id IS NOT NULL
    UNION ALL SELECT user_id FROM registrations UNION ALL SELECT user_id FROM waitlist_entries`,
  );
  return { people: people.map((row) => [...row]), references: references.map(({ user_id }) => user_id) };
}
