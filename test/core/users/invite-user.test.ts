import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { Refusal } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { refused } from '../../support/core/refused.js';
import { dana, invite, usersTest } from '../../support/core/users-service.js';
import { publicUrl } from '../../support/test-service.js';

describe('inviteUser', () => {
  usersTest('returns a URL, and the same one when the address is invited again', async (service) => {
    const invited = await invite(service);
    assert.equal(invited.email, 'dana@example.test');
    assert.ok(invited.invitationUrl.startsWith(`${publicUrl}/invitations/`));
    const again = await invite(service, {
      email: ' DANA@Example.test ',
      firstName: 'Other',
      lastName: 'Name',
    });
    assert.deepEqual(again, { ...invited, isNew: false });
    assert.equal(invited.isNew, true);
  });

  usersTest(
    'keeps an idpId, adds one to a pending invitation, and refuses one that is taken',
    async (service) => {
      const organization = { id: 2 };
      const refusal = async (request: object) => {
        try {
          await service.core.inviteUser({ organization, ...dana, ...request });
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          return error.code === 'invalid-request' ? error.texts() : error.code;
        }
        return 'invited';
      };
      await service.core.registerUser({
        ...{ organizationId: 2, email: 'm@example.test', firstName: 'M', lastName: 'N', idpId: 'm-1' },
      });
      const stored = async () => (await service.core.findInvitations({ organization })).items[0]?.idpId;
      assert.equal(await refusal({}), 'invited');
      assert.deepEqual(await refusal({ idpId: 'm-1' }), ['idpId belongs to another member']);
      assert.equal(await stored(), null);
      assert.equal(await refusal({ idpId: 'd-1' }), 'invited');
      assert.equal(await refusal({}), 'invited');
      assert.equal(await stored(), 'd-1');
      assert.deepEqual(await refusal({ idpId: 'd-2' }), [
        'idpId must be that of the pending invitation: renew it to change it',
      ]);
      assert.deepEqual(await refusal({ email: 'kim@example.test', idpId: 'd-1' }), [
        'idpId belongs to a pending invitation',
      ]);
      assert.deepEqual(await refusal({ email: 'kim@example.test', firstName: '', idpId: 'x'.repeat(501) }), [
        'firstName must not be empty',
        'idpId must have at most 500 characters',
      ]);
      assert.equal((await service.core.findInvitations({ organization })).items.length, 1);
    },
  );

  usersTest('names all invalid fields at once', async (service) => {
    await assert.rejects(
      invite(service, { email: 'nobody', firstName: '', lastName: 'x'.repeat(301) }),
      (error) =>
        error instanceof Refusal &&
        error.problems.map(({ field }) => field).join() === 'email,firstName,lastName',
    );
  });

  usersTest(
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
