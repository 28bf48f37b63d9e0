import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type PendingSignIn, type SecondFactorProof, Secret } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { refused } from '../../support/core/refused.js';
import {
  address,
  answerTo,
  password,
  secondFactorTest,
  type startSecondFactor,
} from './second-factor-service.js';

type Service = Awaited<ReturnType<typeof startSecondFactor>>;

const MINUTE_MS = 60_000;
const wrong = refused('wrong-second-factor');

const pass = ({ core }: Service, pending: PendingSignIn, proof: SecondFactorProof) =>
  core.passSecondStep({ pending, proof, address });

/** What the browser is asked at the second step. */
async function asked({ core }: Service, pending: PendingSignIn) {
  const { passkey } = (await core.askSecondFactor({ pending })) ?? assert.fail();
  return passkey ?? assert.fail();
}

describe('the second step of a sign-in', () => {
  secondFactorTest(
    'a password alone starts a session only for users without a second factor',
    async (service) => {
      const { core, ports, clock } = service;
      await service.signIn();
      await service.withCodes();
      const pending = await service.pending();
      assert.equal(JSON.stringify(pending).includes((await ports.users.passwordHash(1)) ?? ''), false);
      assert.equal(pending.email, aUser(1).email);
      assert.ok(await service.signIn(2));
      clock.advance(MINUTE_MS);
      const { session, user, boundTo } = await pass(service, pending, { code: service.code() });
      assert.deepEqual([user, boundTo], [aUser(1), null]);
      assert.equal((await core.resumeSession({ session: session.reveal() }))?.hasSecondFactor, true);
    },
  );

  secondFactorTest('a secret that waits for its first code is no second factor', async (service) => {
    await service.core.beginCodes({ session: await service.signIn() });
    assert.ok(await service.signIn());
  });

  secondFactorTest(
    'a code works once, also one of the 30 seconds around, and not in the other step',
    async (service) => {
      const { clock } = service;
      await service.withCodes();
      const pending = await service.pending();
      await assert.rejects(pass(service, pending, { code: service.code() }), wrong);
      clock.advance(2 * MINUTE_MS);
      const code = service.code(1);
      await pass(service, pending, { code: ` ${code.slice(0, 3)} ${code.slice(3)}` });
      for (const steps of [1, 0, -1, 2, -2])
        await assert.rejects(pass(service, pending, { code: service.code(steps) }), wrong);
    },
  );

  secondFactorTest(
    'what is neither six digits nor a recovery code is never computed with',
    async (service) => {
      await service.withCodes();
      const pending = await service.pending();
      const computed: string[] = [];
      const { secrets } = service.ports;
      const compute = (name: 'codeStep' | 'recoveryCodeHashes' | 'decrypt') =>
        Object.assign(secrets, { [name]: () => assert.fail(computed.push(name).toString()) });
      for (const name of ['codeStep', 'recoveryCodeHashes', 'decrypt'] as const) compute(name);
      for (const code of ['', '12345', '1234567', '12345x', '1'.repeat(1000), 'abcde-fghi', '1bcde-fghij'])
        await assert.rejects(pass(service, pending, { code }), wrong);
      assert.deepEqual(computed, []);
    },
  );

  secondFactorTest('each of the ten recovery codes works once, in any case', async (service) => {
    const { recoveryCodes } = await service.withCodes();
    assert.equal(new Set(recoveryCodes).size, 10);
    const pending = await service.pending();
    const [code = ''] = recoveryCodes;
    await pass(service, pending, { code: code.toUpperCase() });
    await assert.rejects(pass(service, pending, { code }), wrong);
    assert.equal((await service.ports.secondFactors.of(1)).recoveryCodes, 9);
  });

  secondFactorTest(
    'the second step must follow within ten minutes, before the password changes',
    async (service) => {
      const { core, clock, ports } = service;
      await service.withCodes();
      const early = await service.pending();
      clock.advance(10 * MINUTE_MS);
      await pass(service, early, { code: service.code() });
      clock.advance(1);
      const ended = refused('second-step-ended');
      await assert.rejects(pass(service, early, { code: service.code(1) }), ended);
      await assert.rejects(core.askSecondFactor({ pending: early }), ended);

      const changed = await service.pending();
      await ports.users.setPasswordHash({ userId: 1, hash: await ports.passwords.hash(password) });
      await assert.rejects(pass(service, changed, { code: service.code(1) }), ended);
      const moved = await service.pending();
      await ports.users.setEmail({ from: aUser(1).email, to: 'other@example.test' });
      await assert.rejects(pass(service, moved, { code: service.code(1) }), ended);
    },
  );

  secondFactorTest(
    'wrong codes, passkeys and passwords count together, and are logged alike',
    async (service) => {
      const { core, security } = service;
      const session = await service.signIn();
      await service.addPasskey(session, 'a');
      const pending = await service.pending();
      security.length = 0;
      const tried = [
        { code: '000000' },
        { code: 'aaaaa-aaaaa' },
        { passkey: answerTo(await asked(service, pending), { id: 'a', challenge: 'another' }) },
      ];
      for (const proof of tried) await assert.rejects(pass(service, pending, proof), wrong);
      const attempt = { email: aUser(1).email, password: new Secret('no'), address };
      for (let count = 0; count < 7; count += 1) {
        await assert.rejects(pass(service, pending, { code: '000000' }), wrong);
        await assert.rejects(core.signIn(attempt), refused('wrong-credentials'));
      }
      const tooMany = refused('too-many-requests');
      await assert.rejects(pass(service, pending, { code: service.code() }), tooMany);
      // A new password forgets wrong passwords, and nothing else.
      await core.setPassword({ email: aUser(1).email, password });
      const again = await service.pending();
      await assert.rejects(pass(service, again, { code: service.code() }), tooMany);
      const about = { address, account: aUser(1).email };
      const failed = { kind: 'sign-in-failed', ...about };
      assert.deepEqual(security, [
        ...['code', 'recovery-code', 'passkey'].map((factor) => ({ ...failed, factor })),
        ...Array(7)
          .fill([{ ...failed, factor: 'code' }, failed])
          .flat(),
        { kind: 'sign-in-refused', ...about, factor: 'code' },
        { kind: 'sign-in-refused', ...about, factor: 'code' },
      ]);
      service.clock.advance(15 * MINUTE_MS);
      assert.ok(await service.pending());
    },
  );

  secondFactorTest('what is right counts as no failure, and is logged', async (service) => {
    const { security, clock } = service;
    await service.withCodes();
    security.length = 0;
    for (let count = 0; count < 12; count += 1) {
      clock.advance(MINUTE_MS);
      await pass(service, await service.pending(), { code: service.code() });
    }
    assert.deepEqual(security.slice(0, 2), [
      { kind: 'second-factor-used', userId: 1, factor: 'code', address },
      { kind: 'signed-in', userId: 1, by: 'password', address },
    ]);
  });

  secondFactorTest('what cannot be checked counts as no failure', async (service) => {
    await service.withCodes();
    const pending = await service.pending();
    const { useCode } = service.ports.secondFactors;
    const away = async () => {
      throw new Error('away');
    };
    Object.assign(service.ports.secondFactors, { useCode: away });
    service.clock.advance(MINUTE_MS);
    for (let count = 0; count < 12; count += 1)
      await assert.rejects(pass(service, pending, { code: service.code() }), /away/);
    Object.assign(service.ports.secondFactors, { useCode });
    await pass(service, pending, { code: service.code() });
  });

  secondFactorTest(
    'a passkey answers a challenge once, within ten minutes, for its own user',
    async (service) => {
      const { clock } = service;
      await service.addPasskey(await service.signIn(), 'a');
      await service.addPasskey(await service.signIn(2), 'b');
      const pending = await service.pending();
      const challenge = await asked(service, pending);
      const passkey = answerTo(challenge, { id: 'a', counter: 2 });
      await pass(service, pending, { passkey });
      // The count of a passkey that does not count cannot tell that it is the same answer.
      await assert.rejects(
        pass(service, pending, { passkey: answerTo(challenge, { id: 'a', counter: 3 }) }),
        wrong,
      );
      const fresh = async () => asked(service, pending);
      await assert.rejects(
        pass(service, pending, { passkey: answerTo(await fresh(), { id: 'a', counter: 2 }) }),
        wrong,
      );
      await assert.rejects(
        pass(service, pending, { passkey: answerTo(await fresh(), { id: 'b', counter: 9 }) }),
        wrong,
      );
      const ofOther = await asked(service, await service.pending(2));
      await assert.rejects(
        pass(service, pending, { passkey: answerTo(ofOther, { id: 'a', counter: 9 }) }),
        wrong,
      );
      const { session } = await pass(service, pending, {
        passkey: answerTo(await fresh(), { id: 'a', counter: 4 }),
      });
      const toMake = (await service.core.beginPasskey({ session: session.reveal() })) ?? assert.fail();
      await assert.rejects(
        pass(service, pending, { passkey: answerTo(toMake, { id: 'a', counter: 9 }) }),
        wrong,
      );
      const old = await fresh();
      clock.advance(10 * MINUTE_MS + 1);
      const later = await service.pending();
      await assert.rejects(pass(service, later, { passkey: answerTo(old, { id: 'a', counter: 9 }) }), wrong);
    },
  );

  secondFactorTest(
    'someone who is invited with an account joins, and signs in by the second step',
    async (service) => {
      const { core, ports } = service;
      const organization = await ports.organizations.create({ name: 'South', eap: false });
      await service.withCodes();
      const person = { email: aUser(1).email, firstName: 'A', lastName: 'B' };
      const { uuid } = await core.inviteUser({ organization, ...person });
      const found = await ports.invitations.byUserUuid({ organizationId: organization.id, uuid });
      const token = ports.secrets.invitationToken(found ?? assert.fail()).reveal();
      await assert.rejects(
        core.acceptInvitation({ token, person: { is: 'known', password }, address }),
        refused('second-step-required'),
      );
      assert.ok(await ports.members.byUserId({ organizationId: organization.id, userId: 1 }));
    },
  );

  secondFactorTest('who has no second factor is asked for none', async ({ core }) => {
    assert.equal(await core.askSecondFactor({ user: aUser(1) }), null);
  });
});

describe('the second factor of an account', () => {
  secondFactorTest('the user sees what they have, without keys and secrets', async (service) => {
    const { core, clock } = service;
    const { session } = await service.withCodes();
    const codesSince = clock.now();
    await service.addPasskey(session, 'a');
    assert.deepEqual(await core.readSecondFactor({ session }), {
      passkeys: [
        {
          ...{ credentialId: 'a', name: 'Key a', transports: ['usb'], isBackedUp: false },
          ...{ createdAt: codesSince, usedAt: null },
        },
      ],
      ...{ codesSince, recoveryCodes: 10, takesPasskeys: true },
    });
  });

  secondFactorTest('adding one is recorded in every organization, and mailed', async (service) => {
    const { core, ports } = service;
    const { session } = await service.withCodes();
    await service.addPasskey(session, 'a');
    await core.removeSecondFactor({ session, factor: { credentialId: 'a' }, address });
    await core.removeSecondFactor({ session, factor: 'code', address });
    const { items: entries } = await core.listActivity({ organization: { id: 1 }, page: 1 });
    const { email } = aUser(1);
    assert.deepEqual(
      entries.map(({ action, subject, actor, about }) => [action, subject, actor.from, about?.id]),
      [
        ['second-factor-removed', `${email}: authenticator app`, address, 1],
        ['second-factor-removed', `${email}: passkey`, address, 1],
        ['second-factor-added', `${email}: passkey`, address, 1],
        ['second-factor-added', `${email}: authenticator app`, address, 1],
      ],
    );
    const at = service.clock.now();
    const mails = await ports.mails.claim({ limit: 9, claim: 'claim', at, until: at });
    const [added, removed] = ['second-factor-added', 'second-factor-removed'];
    assert.deepEqual(
      mails.map(({ kind, email: to }) => [kind, to]),
      [added, added, removed, removed].map((kind) => [kind, email]),
    );
  });

  secondFactorTest('only the first one shows recovery codes', async (service) => {
    const session = await service.signIn();
    assert.equal((await service.addPasskey(session, 'a')).recoveryCodes?.length, 10);
    assert.equal((await service.addPasskey(session, 'b')).recoveryCodes, null);
    await service.core.beginCodes({ session });
    const { recoveryCodes } = await service.core.confirmCodes({ session, code: service.code(), address });
    assert.equal(recoveryCodes, null);
  });

  secondFactorTest('new recovery codes end the ones before', async (service) => {
    const { core } = service;
    const { session, recoveryCodes } = await service.withCodes();
    const codes = await core.renewRecoveryCodes({ session });
    const pending = await service.pending();
    await assert.rejects(pass(service, pending, { code: recoveryCodes[0] ?? '' }), wrong);
    await pass(service, pending, { code: codes[0]?.reveal() ?? '' });
    const without = await service.signIn(2);
    await assert.rejects(core.renewRecoveryCodes({ session: without }), refused('second-factor-not-found'));
  });

  secondFactorTest(
    'an answer that proves nothing adds no passkey, and neither does a second one',
    async (service) => {
      const { core } = service;
      const session = await service.signIn();
      const ask = async () => (await core.beginPasskey({ session })) ?? assert.fail();
      const add = (answer: ReturnType<typeof answerTo>, name = 'Key') =>
        core.addPasskey({ session, answer, name, address });
      await assert.rejects(add(answerTo(await ask(), { id: 'a', challenge: 'other' })), wrong);
      const used = await ask();
      await add(answerTo(used, { id: 'a' }));
      await assert.rejects(add(answerTo(used, { id: 'b' })), wrong);
      const other = (await core.beginPasskey({ session: await service.signIn(2) })) ?? assert.fail();
      await assert.rejects(add(answerTo(other, { id: 'b' })), wrong);
      const again = await ask();
      assert.deepEqual((again.publicKey as { passkeys: unknown }).passkeys, ['a']);
      await assert.rejects(
        add(answerTo(again, { id: 'a' })),
        refused('passkey-registered', 'This device, or password manager, has a passkey here already'),
      );
      for (const name of ['', ' ', 'x'.repeat(61), 'a\nb'])
        await assert.rejects(add(answerTo(await ask(), { id: 'b' }), name), refused('invalid-request'));
      for (let count = 1; count < 20; count += 1) await service.addPasskey(session, `more ${count}`);
      await assert.rejects(
        service.addPasskey(session, 'too many'),
        refused('passkey-registered', 'There are 20 passkeys already: remove one first'),
      );
    },
  );

  secondFactorTest('an app is turned on by its own first code only', async (service) => {
    const { core } = service;
    const session = await service.signIn();
    const confirm = (code: string) => core.confirmCodes({ session, code, address });
    await assert.rejects(confirm(service.code()), refused('second-factor-not-found'));
    assert.equal(await core.readCodeSecret({ session }), null);
    await core.beginCodes({ session });
    assert.ok((await core.readCodeSecret({ session }))?.reveal());
    for (const code of ['', 'x', '000000', service.code(2)]) await assert.rejects(confirm(code), wrong);
    await confirm(service.code());
    assert.equal(await core.readCodeSecret({ session }), null);
    await assert.rejects(core.beginCodes({ session }), refused('second-factor-not-found'));
    await assert.rejects(confirm(service.code(1)), refused('second-factor-not-found'));
  });

  secondFactorTest('a passkey is renamed by its user only', async (service) => {
    const { core } = service;
    const session = await service.signIn();
    await service.addPasskey(session, 'a');
    await core.namePasskey({ session, credentialId: 'a', name: 'Blue key' });
    assert.equal((await core.readSecondFactor({ session })).passkeys[0]?.name, 'Blue key');
    const change = { session: await service.signIn(2), credentialId: 'a', name: 'Mine' };
    await assert.rejects(core.namePasskey(change), refused('second-factor-not-found'));
    await assert.rejects(core.namePasskey({ ...change, name: '' }), refused('invalid-request'));
    const factor = { credentialId: 'a' };
    await assert.rejects(
      core.removeSecondFactor({ session: change.session, factor, address }),
      refused('second-factor-not-found'),
    );
  });

  secondFactorTest('a session that the password did not start changes nothing', async (service) => {
    const { core, ports } = service;
    const { token, hash } = ports.secrets.newToken('session');
    const created = { hash, userId: 1, boundTo: 1, createdAt: service.clock.now(), passwordHash: null };
    await ports.sessions.create(created);
    for (const [session, code] of [
      [token.reveal(), 'session-bound'],
      [null, 'sign-in-required'],
    ] as const)
      for (const call of [
        core.readSecondFactor({ session }),
        core.beginPasskey({ session }),
        core.beginCodes({ session }),
        core.readCodeSecret({ session }),
        core.renewRecoveryCodes({ session }),
        core.confirmCodes({ session, code: '000000', address }),
        core.removeSecondFactor({ session, factor: 'code', address }),
        core.namePasskey({ session, credentialId: 'a', name: 'a' }),
      ])
        await assert.rejects(call, refused(code));
  });

  secondFactorTest('neither a new password nor its reset removes the second factor', async (service) => {
    const { core } = service;
    const { session } = await service.withCodes();
    const newPassword = new Secret('another horse');
    const change = { session, currentPassword: password, newPassword, address };
    for (const secondFactor of [undefined, { code: '000000' }])
      await assert.rejects(core.changePassword({ ...change, secondFactor }), wrong);
    assert.ok(await core.resumeSession({ session }));
    service.clock.advance(MINUTE_MS);
    const changed = await core.changePassword({ ...change, secondFactor: { code: service.code() } });
    assert.equal((await core.resumeSession({ session: changed.session.reveal() }))?.hasSecondFactor, true);
    await core.setPassword({ email: aUser(1).email, password });
    assert.ok(await service.pending());
  });

  secondFactorTest('without a verifier nobody is asked for a passkey, and codes go on', async (service) => {
    const { core, ports } = service;
    const session = await service.signIn();
    await service.addPasskey(session, 'a');
    Object.assign(ports, { passkeyVerifier: undefined });
    const { createCore } = await import('@rollcall/core');
    const link = () => '';
    const without = createCore(ports, { links: { invitation: link, login: link, defaultAvatar: '' } });
    assert.deepEqual(await without.askSecondFactor({ user: aUser(1) }), {
      ...{ user: aUser(1), passkey: null, hasCode: false },
    });
    assert.equal(await without.beginPasskey({ session }), null);
    assert.equal((await without.readSecondFactor({ session })).takesPasskeys, false);
    const asked = (await core.beginPasskey({ session })) ?? assert.fail();
    const answer = answerTo(asked, { id: 'b' });
    await assert.rejects(without.addPasskey({ session, answer, name: 'Key', address }), wrong);
  });
});

describe('confirmIdentity', () => {
  secondFactorTest(
    'asks users without a second factor for the password, and counts wrong ones',
    async (service) => {
      const { core } = service;
      const confirm = (given: Secret, user = aUser(2)) =>
        core.confirmIdentity({ user, proof: { password: given }, address });
      await confirm(password);
      const other = { id: 1, email: aUser(2).email };
      const wrongPassword = refused('wrong-credentials', 'currentPassword is wrong');
      await assert.rejects(confirm(password, { ...aUser(1), ...other }), wrongPassword);
      for (let count = 0; count < 10; count += 1)
        await assert.rejects(confirm(new Secret('no')), wrongPassword);
      await assert.rejects(confirm(password), refused('too-many-requests'));
    },
  );

  secondFactorTest('asks users who have one for it, and the password is not enough', async (service) => {
    const { core, clock } = service;
    await service.withCodes();
    const confirm = (proof: SecondFactorProof | { readonly password: Secret }) =>
      core.confirmIdentity({ user: aUser(1), proof, address });
    await assert.rejects(confirm({ password }), wrong);
    await assert.rejects(confirm({ code: service.code() }), wrong);
    clock.advance(MINUTE_MS);
    await confirm({ code: service.code() });
    await assert.rejects(confirm({ code: service.code() }), wrong);
  });
});

describe('requireSecondFactor', () => {
  const organization = { id: 1 };

  secondFactorTest('owners and admins need one from then on, and members do not', async (service) => {
    const { core } = service;
    const require = (isRequired: boolean) =>
      core.requireSecondFactor({ organization, isRequired, userId: 1 });
    await assert.rejects(require(true), refused('second-factor-required'));
    const { session } = await service.withCodes();
    await require(true);
    await require(true);
    assert.equal(await core.isSecondFactorRequired({ organization }), true);
    const open = async (token: string, role: 'member' | 'admin' = 'member') => {
      const resumed = (await core.resumeSession({ session: token })) ?? assert.fail();
      return (await core.authorizeMember({ session: resumed, organizationId: 1, role })).member.role;
    };
    assert.equal(await open(session, 'admin'), 'owner');
    const admin = await service.signIn(2);
    await assert.rejects(open(admin), refused('second-factor-required'));
    assert.equal(await open(await service.signIn(3)), 'member');
    // A login link and sign-on are the organization's own way in.
    const { user } = (await core.resumeSession({ session: admin })) ?? assert.fail();
    for (const startedBy of ['login-link', 'sign-on'] as const)
      await core.authorizeMember({
        session: { user, boundTo: 1, startedBy, hasSecondFactor: false },
        ...{ organizationId: 1, role: startedBy === 'sign-on' ? 'admin' : 'member' },
      });
    await service.addPasskey(admin, 'a');
    assert.equal(await open(admin, 'admin'), 'admin');

    await require(false);
    await core.removeSecondFactor({ session: admin, factor: { credentialId: 'a' }, address });
    assert.equal(await open(admin), 'admin');
    const { items: entries } = await core.listActivity({ organization, page: 1, kind: 'organization' });
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['second-factor-optional', 'second-factor-required'],
    );
  });

  secondFactorTest('an admin who removes their own is asked for one again', async (service) => {
    const { core } = service;
    await service.withCodes();
    await core.requireSecondFactor({ organization, isRequired: true, userId: 1 });
    const session = await service.signIn(2);
    await service.addPasskey(session, 'a');
    await core.removeSecondFactor({ session, factor: { credentialId: 'a' }, address });
    const resumed = (await core.resumeSession({ session })) ?? assert.fail();
    await assert.rejects(
      core.authorizeMember({ session: resumed, organizationId: 1, role: 'member' }),
      refused('second-factor-required'),
    );
  });
});

describe('removeSecondFactorOf', () => {
  secondFactorTest(
    'removes everything, ends the sessions of the password, and is recorded',
    async (service) => {
      const { core } = service;
      const { session } = await service.withCodes();
      await service.addPasskey(session, 'a');
      const by = { who: { kind: 'command-line' }, from: null } as const;
      const email = ` ${aUser(1).email.toUpperCase()}`;
      assert.deepEqual(await core.removeSecondFactorOf({ email, by }), aUser(1));
      assert.equal(await core.resumeSession({ session }), null);
      assert.ok(await service.signIn());
      const { items: entries } = await core.listActivity({ organization: { id: 1 }, page: 1 });
      assert.deepEqual(
        [entries[0]?.action, entries[0]?.subject, entries[0]?.actor],
        ['second-factor-removed', `${aUser(1).email}: everything`, by],
      );
      await assert.rejects(core.removeSecondFactorOf({ email, by }), refused('second-factor-not-found'));
      await assert.rejects(core.removeSecondFactorOf({ email: 'no@x.test', by }), refused('user-not-found'));
    },
  );
});
