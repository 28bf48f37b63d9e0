import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anOrganization, aUser } from '@rollcall/core/testing';
import { importRecords, memberRecord, userRecord } from '../support/import-identity.js';
import { type StoredTestService, startTestService, type TestService } from '../support/test-service.js';

const organization = { id: 1 };
const first = aUser(101);
const second = aUser(102);
const third = aUser(103);

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`The invitation of a person whom an import makes a member, over ${engine}`, () => {
    const serviceTest = (name: string, work: (service: StoredTestService) => Promise<void>) =>
      test(name, async (t) => {
        const service = await startTestService({ database: engine });
        t.after(() => service.stop());
        await service.load({ organizations: [anOrganization(1), anOrganization(2)] });
        await work(service);
      });
    const invite = ({ core }: TestService, { email }: { readonly email: string }, idpId: string | null) =>
      core.inviteUser({ organization, email, firstName: 'Ana', lastName: 'Lopez', idpId });

    serviceTest(
      'is accepted: the member has its UUID, and its idp_id unless one is given',
      async (service) => {
        const invited = {
          first: await invite(service, first, 'invited-1'),
          second: await invite(service, second, 'invited-2'),
          third: await invite(service, third, 'invited-3'),
        };
        const elsewhere = await service.core.inviteUser({
          ...{ organization: { id: 2 }, email: first.email, firstName: 'Ana', lastName: 'Lopez' },
        });
        const records = [
          ...[first, second, third].map(userRecord),
          memberRecord(101),
          { ...memberRecord(102, 'admin'), idp_id: 'given-2' },
        ];
        await importRecords(service, records);
        const { members, invitations } = service.ports;
        const read = async ({ id: userId }: { readonly id: number }) => {
          const member = await members.byUserId({ organizationId: 1, userId });
          return member && [member.uuid, member.idpId, member.role];
        };
        assert.deepEqual(await read(first), [invited.first.uuid, 'invited-1', 'member']);
        assert.deepEqual(await read(second), [invited.second.uuid, 'given-2', 'admin']);
        assert.equal(await read(third), null);
        const { items } = await service.core.listInvitations({ organization });
        assert.deepEqual(items.map(({ email, state }) => `${email} ${state}`).sort(), [
          `${first.email} accepted`,
          `${second.email} accepted`,
          `${third.email} pending`,
        ]);
        const other = await invitations.byUserUuid({ organizationId: 2, uuid: elsewhere.uuid });
        assert.equal(other?.acceptedAt, null);
        const { uuid } = invited.first;
        assert.match((await service.core.issueLoginLink({ organization, uuid })).url, /login/);

        await importRecords(service, records);
        assert.deepEqual(await read(first), [invited.first.uuid, 'invited-1', 'member']);
        assert.deepEqual(await read(second), [invited.second.uuid, 'given-2', 'admin']);
      },
    );

    serviceTest('keeps its idp_id: an import that gives it to someone else is refused', async (service) => {
      await invite(service, first, 'a');
      await invite(service, second, 'b');
      const wrong: readonly (readonly [readonly object[], number])[] = [
        [[userRecord(third), { ...memberRecord(103), idp_id: 'a' }], 2],
        [
          [
            ...[first, second, third].map(userRecord),
            ...[101, 102].map((id) => memberRecord(id)),
            { ...memberRecord(103), idp_id: 'b' },
          ],
          6,
        ],
      ];
      for (const [records, line] of wrong) {
        await assert.rejects(importRecords(service, records as never), { line, field: 'idp_id' });
      }
      const { items } = await service.core.listInvitations({ organization });
      assert.deepEqual(
        items.map(({ state }) => state),
        ['pending', 'pending'],
      );
    });

    // Earlier releases did not compare the idp_ids of members with those of invitations.
    serviceTest('gives no idp_id that another member has already', async (service) => {
      await invite(service, first, 'a');
      await importRecords(service, [userRecord(third), { ...memberRecord(103), idp_id: 'of 103' }]);
      await service.database.write((sql) => sql.run("UPDATE memberships SET idp_id = 'a'"));
      await importRecords(service, [userRecord(first), memberRecord(101)]);
      const { members } = await service.ports.members.list({ organizationId: 1, offset: 0, limit: 9 });
      assert.deepEqual(
        members.map(({ user, idpId }) => [user.id, idpId]),
        [
          [101, null],
          [103, 'a'],
        ],
      );
    });

    serviceTest('stays pending if the import fails', async (service) => {
      const { uuid } = await invite(service, first, null);
      await assert.rejects(importRecords(service, [userRecord(first), memberRecord(101), memberRecord(999)]));
      const invitation = await service.ports.invitations.byUserUuid({ organizationId: 1, uuid });
      assert.equal(invitation?.acceptedAt, null);
    });
  });
}
