import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import { refused } from '../../support/core/refused.js';
import { acceptAsNew, invite, usersTest } from '../../support/core/users-service.js';
import { databaseKinds } from '../../support/storage.js';

for (const database of databaseKinds) {
  const serviceTest = usersTest(database);

  describe(`issueLoginLink over ${database}`, () => {
    serviceTest(
      'refuses unknown and malformed UUIDs and users of other organizations alike',
      async (service) => {
        const uuids = [
          aUser(2).uuid,
          'ffffffff-ffff-4fff-8fff-ffffffffffff',
          '',
          'x',
          '\0',
          `${aUser(1).uuid} `,
          '1',
        ];
        for (const uuid of uuids) {
          const attempt = service.core.issueLoginLink({ organization: { id: 2 }, uuid });
          await assert.rejects(attempt, refused('user-not-found', 'User not found'), uuid);
        }
        const foreign = service.core.issueLoginLink({ organization: { id: 1 }, uuid: aUser(1).uuid });
        await assert.rejects(foreign, refused('user-not-found', 'User not found'));
      },
    );

    serviceTest(
      'refuses a user who has not accepted the invitation with a separate code',
      async (service) => {
        const { uuid, invitationUrl } = await invite(service);
        const attempt = () => service.core.issueLoginLink({ organization: { id: 1 }, uuid });
        await assert.rejects(attempt, refused('invitation-pending'));
        await acceptAsNew(service, invitationUrl);
        await attempt();
      },
    );

    serviceTest('accepts a UUID in any case', async (service) => {
      await service.core.issueLoginLink({ organization: { id: 2 }, uuid: aUser(1).uuid.toUpperCase() });
    });
  });
}
