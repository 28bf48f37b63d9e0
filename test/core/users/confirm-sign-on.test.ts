import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { Secret } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { refused } from '../../support/core/refused.js';
import {
  address,
  aPerson,
  issuer,
  password,
  type SignOnService,
  signOnTest,
} from '../../support/core/sign-on-service.js';

async function confirmationOf({ signOn }: SignOnService, person: ReturnType<typeof aPerson>) {
  const finished = await signOn(person);
  assert.ok(finished.kind === 'confirm');
  return finished.confirmation;
}

describe('confirmSignOn', () => {
  signOnTest(
    'links an owner by the password, gives the idpId, and starts a limited session',
    async (service) => {
      const { core, ports, linked, actions } = service;
      const confirmation = await confirmationOf(service, aPerson('x', { email: aUser(1).email }));
      const created = await core.confirmSignOn({ confirmation, proof: { password }, address });
      assert.deepEqual([created.user.id, created.boundTo], [1, 1]);
      assert.equal((await linked(1))?.subject, 'x');
      const member = await ports.members.byUserId({ organizationId: 1, userId: 1 });
      assert.deepEqual([member?.idpId, member?.role], ['x', 'owner']);
      const resumed = await core.resumeSession({ session: created.session.reveal() });
      assert.equal(resumed?.startedBy, 'sign-on');
      const { email } = aUser(1);
      assert.deepEqual(await actions(), [
        ['idp-id-set', `${email}: none → x`],
        ['identity-linked', email],
      ]);
      assert.deepEqual((await service.signedIn(aPerson('x'))).user.id, 1);
      assert.equal(await ports.signOns.opens({ organizationId: 1, userId: 1 }), 'any');
    },
  );

  signOnTest('a wrong password links nothing, and counts', async (service) => {
    const { core, linked } = service;
    const confirmation = await confirmationOf(service, aPerson('idp-2'));
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      const wrong = core.confirmSignOn({ confirmation, proof: { password: new Secret('wrong') }, address });
      await assert.rejects(wrong, refused('wrong-credentials', 'The password is wrong'));
    }
    await assert.rejects(
      core.confirmSignOn({ confirmation, proof: { password }, address }),
      refused('too-many-requests'),
    );
    assert.equal(await linked(2), null);
  });

  signOnTest('the idpId of the member stays, and one that someone else has is not given', async (service) => {
    const { core, ports } = service;
    const idpIdOf = async (userId: number) =>
      (await ports.members.byUserId({ organizationId: 1, userId }))?.idpId;
    const other = await confirmationOf(service, aPerson('y', { email: aUser(2).email }));
    await core.confirmSignOn({ confirmation: other, proof: { password }, address });
    assert.equal(await idpIdOf(2), 'idp-2');
    const confirmation = await confirmationOf(service, aPerson('x', { email: aUser(1).email }));
    await core.confirmSignOn({
      confirmation: { ...confirmation, idpId: 'idp-3' },
      proof: { password },
      address,
    });
    assert.deepEqual([await idpIdOf(1), await idpIdOf(3)], [null, 'idp-3']);
  });

  signOnTest('is refused if the member was removed or linked meanwhile', async (service) => {
    const { core, ports, clock } = service;
    const confirmation = await confirmationOf(service, aPerson('idp-2'));
    const confirm = () => core.confirmSignOn({ confirmation, proof: { password }, address });
    const key = { organizationId: 1, issuer, linkedAt: clock.now() };
    await ports.identities.link({ ...key, subject: 'another', userId: 2 });
    await assert.rejects(confirm(), refused('sign-on-not-admitted'));
    await ports.identities.unlink({ organizationId: 1, userId: 2 });
    await ports.identities.link({ ...key, subject: 'idp-2', userId: 3 });
    await assert.rejects(confirm(), refused('sign-on-not-admitted'));
    await ports.members.remove({ organizationId: 1, userId: 2, at: clock.now() });
    await assert.rejects(confirm(), refused('sign-on-not-admitted'));
  });

  signOnTest('is refused if sign-on is off or has another issuer meanwhile', async (service) => {
    const { core, ports, linked } = service;
    const confirmation = await confirmationOf(service, aPerson('idp-2'));
    const confirm = () => core.confirmSignOn({ confirmation, proof: { password }, address });
    await ports.signOns.save(1, (current) => ({
      ...(current ?? assert.fail()),
      issuer: 'https://other.example',
    }));
    await assert.rejects(confirm(), refused('sign-on-ended'));
    await core.switchSignOn({ organization: { id: 1 }, to: 'off' });
    await assert.rejects(confirm(), refused('sign-on-off'));
    assert.equal(await linked(2), null);
  });
});
