import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { Refusal } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { refused } from '../../support/core/refused.js';
import { dana, invite, usersTest } from '../../support/core/users-service.js';
import { databaseKinds } from '../../support/storage.js';
import { publicUrl } from '../../support/test-service.js';

for (const database of databaseKinds) {
  const serviceTest = usersTest(database);

  describe(`inviteUser over ${database}`, () => {
    serviceTest('returns a URL, and the same one when the address is invited again', async (service) => {
      const invited = await invite(service);
      assert.equal(invited.email, 'dana@example.test');
      assert.ok(invited.invitationUrl.startsWith(`${publicUrl}/invitations/`));
      const again = await invite(service, {
        email: 'dana@example.test',
        firstName: 'Other',
        lastName: 'Name',
      });
      assert.deepEqual(again, invited);
    });

    serviceTest(
      '50 simultaneous invitations of one address create one invitation with one URL',
      async (service) => {
        const all = await Promise.all(Array.from({ length: 50 }, () => invite(service)));
        assert.equal(new Set(all.map(({ invitationUrl }) => invitationUrl)).size, 1);
        assert.equal(new Set(all.map(({ uuid }) => uuid)).size, 1);
      },
    );

    serviceTest('names all invalid fields at once', async (service) => {
      await assert.rejects(
        invite(service, { email: 'nobody', firstName: '', lastName: 'x'.repeat(301) }),
        (error) =>
          error instanceof Refusal &&
          error.problems.map(({ field }) => field).join() === 'email,firstName,lastName',
      );
    });

    serviceTest(
      'refuses a member of this organization, and invites a member of another with a new UUID',
      async (service) => {
        const user = { ...dana, email: aUser(1).email };
        await assert.rejects(invite(service, user, 2), refused('already-member'));
        const invited = await invite(service, user, 1);
        assert.notEqual(invited.uuid, aUser(1).uuid);
        assert.deepEqual([invited.firstName, invited.lastName], ['Dana', 'Kim']);
      },
    );
  });
}
