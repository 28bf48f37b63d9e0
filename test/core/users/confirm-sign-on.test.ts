import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type Core, createCore, Secret } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { withCodes } from '#core/testing/new-second-factor.js';
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

type Confirmed = Omit<Parameters<Core['confirmSignOn']>[0], 'address'> & {
  readonly proof?: Parameters<Core['proveSignOn']>[0]['proof'];
  readonly address: string;
};

/** Proves who it is, unless that is done, and confirms. */
async function confirmed(core: Core, { proof, confirmation, ...given }: Confirmed) {
  const { address } = given;
  const proved =
    proof === undefined ? confirmation : await core.proveSignOn({ confirmation, proof, address });
  return core.confirmSignOn({ ...given, confirmation: proved });
}

describe('confirmSignOn', () => {
  signOnTest(
    'links an owner by the password, gives the idpId, and starts a limited session',
    async (service) => {
      const { core, ports, linked, actions } = service;
      const confirmation = await confirmationOf(service, aPerson('x', { email: aUser(1).email }));
      const created = await confirmed(core, { confirmation, proof: { password }, address });
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
      const wrong = confirmed(core, { confirmation, proof: { password: new Secret('wrong') }, address });
      await assert.rejects(wrong, refused('wrong-credentials', 'The password is wrong'));
    }
    await assert.rejects(
      confirmed(core, { confirmation, proof: { password }, address }),
      refused('too-many-requests'),
    );
    assert.equal(await linked(2), null);
  });

  signOnTest('the idpId of the member stays, and one that someone else has is not given', async (service) => {
    const { core, ports } = service;
    const idpIdOf = async (userId: number) =>
      (await ports.members.byUserId({ organizationId: 1, userId }))?.idpId;
    const other = await confirmationOf(service, aPerson('y', { email: aUser(2).email }));
    await confirmed(core, { confirmation: other, proof: { password }, address });
    assert.equal(await idpIdOf(2), 'idp-2');
    const confirmation = await confirmationOf(service, aPerson('x', { email: aUser(1).email }));
    await confirmed(core, {
      confirmation: { ...confirmation, idpId: 'idp-3' },
      proof: { password },
      address,
    });
    assert.deepEqual([await idpIdOf(1), await idpIdOf(3)], [null, 'idp-3']);
  });

  signOnTest('is refused if the member was removed or linked meanwhile', async (service) => {
    const { core, ports, clock } = service;
    const confirmation = await confirmationOf(service, aPerson('idp-2'));
    let tab = 0;
    const confirm = () => {
      tab += 1;
      const ofTab = { ...confirmation, state: `${tab}` };
      return confirmed(core, { confirmation: ofTab, proof: { password }, address });
    };
    const key = { organizationId: 1, issuer, linkedAt: clock.now() };
    await ports.identities.link({ ...key, subject: 'another', userId: 2 });
    await assert.rejects(confirm(), refused('sign-on-not-admitted'));
    await ports.identities.unlink({ organizationId: 1, userId: 2 });
    await ports.identities.link({ ...key, subject: 'idp-2', userId: 3 });
    await assert.rejects(confirm(), refused('sign-on-not-admitted'));
    await ports.members.remove({ organizationId: 1, userId: 2, at: clock.now() });
    await assert.rejects(confirm(), refused('sign-on-not-admitted'));
  });

  signOnTest('happens once, so that nobody uses what a browser has kept again', async (service) => {
    const { core, ports, linked } = service;
    const confirmation = await confirmationOf(service, aPerson('idp-2'));
    const confirm = () => confirmed(core, { confirmation, proof: { password }, address });
    await confirm();
    await ports.identities.unlink({ organizationId: 1, userId: 2 });
    await assert.rejects(confirm(), refused('sign-on-ended'));
    assert.equal(await linked(2), null);
  });

  signOnTest('is refused ten minutes after the sign-on began, also with a fresh code', async (service) => {
    const { core, clock } = service;
    const confirmation = await confirmationOf(service, aPerson('idp-2'));
    const proved = await core.proveSignOn({ confirmation, proof: { password }, address });
    clock.advance(10 * 60_000);
    const ended = refused('sign-on-ended');
    await assert.rejects(confirmed(core, { confirmation: proved, address }), ended);
    await assert.rejects(core.proveSignOn({ confirmation, proof: { password }, address }), ended);
  });

  signOnTest('is refused if sign-on is off or has another issuer meanwhile', async (service) => {
    const { core, ports, linked } = service;
    const confirmation = await confirmationOf(service, aPerson('idp-2'));
    const confirm = () => confirmed(core, { confirmation, proof: { password }, address });
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

describe('mailSignOnCode', () => {
  signOnTest(
    'mails a code that links the member, in whatever spacing, and only with this confirmation',
    async (service) => {
      const { core, linked, mails } = service;
      const confirmation = await confirmationOf(service, aPerson('x', { email: aUser(1).email }));
      const withCode = await core.mailSignOnCode({ confirmation });
      const [mail] = mails;
      assert.equal(mail?.to, aUser(1).email);
      assert.match(mail.text.reveal(), /enter this code within 10 minutes:\n\n\d{8}\n\n/);
      const { code } = withCode;
      assert.ok(code !== null && mail.text.reveal().includes(code));
      assert.deepEqual(withCode, { ...confirmation, code });
      const without = confirmed(core, { confirmation, proof: { code }, address });
      await assert.rejects(without, refused('wrong-credentials', 'The code is wrong'));
      assert.equal(await linked(1), null);
      const spaced = { code: ` ${code.slice(0, 4)} ${code.slice(4)} ` };
      const created = await confirmed(core, { confirmation: withCode, proof: spaced, address });
      assert.deepEqual([created.user.id, created.boundTo], [1, 1]);
    },
  );

  signOnTest('five wrong codes are the last, also with another code', async (service) => {
    const { core, linked } = service;
    const confirmation = await confirmationOf(service, aPerson('x', { email: aUser(1).email }));
    const first = await core.mailSignOnCode({ confirmation });
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const wrong = confirmed(core, { confirmation: first, proof: { code: 'wrong' }, address });
      await assert.rejects(wrong, refused('wrong-credentials'));
    }
    const second = await core.mailSignOnCode({ confirmation });
    const right = { code: second.code ?? assert.fail() };
    const late = confirmed(core, { confirmation: second, proof: right, address });
    await assert.rejects(late, refused('too-many-requests'));
    assert.equal(await linked(1), null);
  });

  signOnTest('mails three codes in a quarter of an hour', async (service) => {
    const confirmation = await confirmationOf(service, aPerson('x', { email: aUser(1).email }));
    for (let time = 1; time <= 3; time += 1) await service.core.mailSignOnCode({ confirmation });
    await assert.rejects(service.core.mailSignOnCode({ confirmation }), refused('too-many-requests'));
    assert.equal(service.mails.length, 3);
  });

  signOnTest(
    'is refused without a mail server, and if the mail was not taken or the member removed',
    async (service) => {
      const { core, ports, clock, mails } = service;
      const confirmation = await confirmationOf(service, aPerson('idp-2'));
      service.mailing.outcome = 'failed';
      await assert.rejects(core.mailSignOnCode({ confirmation }), refused('mail-not-sent'));
      const { mailer: _, ...without } = ports;
      const links = { invitation: () => '', login: () => '', defaultAvatar: '' };
      const unmailed = createCore(without, { links });
      await assert.rejects(unmailed.mailSignOnCode({ confirmation }), refused('mail-not-configured'));
      await ports.members.remove({ organizationId: 1, userId: 2, at: clock.now() });
      await assert.rejects(core.mailSignOnCode({ confirmation }), refused('sign-on-not-admitted'));
      const elsewhere = { ...confirmation, issuer: 'https://other.example' };
      await assert.rejects(core.mailSignOnCode({ confirmation: elsewhere }), refused('sign-on-ended'));
      await core.switchSignOn({ organization: { id: 1 }, to: 'off' });
      await assert.rejects(core.mailSignOnCode({ confirmation }), refused('sign-on-off'));
      assert.equal(mails.length, 1);
    },
  );
});

describe('confirmSignOn with a second factor', () => {
  signOnTest('asks for it as well, whatever else was given', async (service) => {
    const { core, ports } = service;
    const confirmation = await confirmationOf(service, aPerson('x', { email: aUser(1).email }));
    await withCodes(ports, confirmation.userId);
    const hashes = ['hash of aaaaa-bbbbb'];
    await ports.secondFactors.setRecoveryCodes({ userId: confirmation.userId, hashes });
    const given = { confirmation, proof: { password }, address };
    const wrong = refused('wrong-second-factor');
    await assert.rejects(confirmed(core, given), wrong);
    await assert.rejects(confirmed(core, { ...given, secondFactor: { code: 'aaaaa-aaaaa' } }), wrong);
    const mailed = { ...given, confirmation: { ...confirmation, code: '12345678' } };
    await assert.rejects(confirmed(core, { ...mailed, proof: { code: '12345678' } }), wrong);
    assert.equal(await ports.identities.of(confirmation), null);
    await confirmed(core, { ...given, secondFactor: { code: 'aaaaa-bbbbb' } });
    assert.ok(await ports.identities.of(confirmation));
  });

  signOnTest('tells of it only those who have proved who they are', async (service) => {
    const { core, ports } = service;
    const confirmation = await confirmationOf(service, aPerson('x', { email: aUser(1).email }));
    await withCodes(ports, confirmation.userId);
    const hashes = ['hash of aaaaa-bbbbb'];
    await ports.secondFactors.setRecoveryCodes({ userId: confirmation.userId, hashes });
    assert.equal(await core.askSecondFactor({ confirmation }), null);
    const secondFactor = { code: 'aaaaa-bbbbb' };
    const confirm = (kept: typeof confirmation) =>
      confirmed(core, { confirmation: kept, secondFactor, address });
    await assert.rejects(confirm(confirmation), refused('sign-on-ended'));
    const wrong = { confirmation, proof: { password: new Secret('wrong') }, address };
    await assert.rejects(core.proveSignOn(wrong), refused('wrong-credentials'));
    const proved = await core.proveSignOn({ ...wrong, proof: { password } });
    assert.ok((await core.askSecondFactor({ confirmation: proved }))?.hasCode);
    await confirm(proved);
    assert.ok(await ports.identities.of(confirmation));
  });
});

describe('openSignOn', () => {
  signOnTest(
    'tells the host, and refuses another issuer, an organization without sign-on, and one that is off',
    async ({ core }) => {
      const off = refused('sign-on-off', 'This organization has no sign-on');
      assert.deepEqual(await core.openSignOn({ organizationId: 1 }), { host: 'idp.example' });
      assert.deepEqual(await core.openSignOn({ organizationId: 1, issuer }), { host: 'idp.example' });
      await assert.rejects(core.openSignOn({ organizationId: 1, issuer: `${issuer}/` }), off);
      await core.switchSignOn({ organization: { id: 1 }, to: 'off' });
      for (const organizationId of [1, 2, 99]) await assert.rejects(core.openSignOn({ organizationId }), off);
    },
  );
});
