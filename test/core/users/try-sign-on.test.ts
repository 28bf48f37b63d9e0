import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import { refused } from '../../support/core/refused.js';
import {
  address,
  answerTo,
  aPerson,
  issuer,
  type SignOnService,
  signOnTest,
} from '../../support/core/sign-on-service.js';

const organization = { id: 1 };

async function tried({ core, script, begin }: SignOnService, person: SignOnService['script']['person']) {
  script.person = person;
  const started = await begin(1);
  return core.trySignOn({ organizationId: 1, userId: 1, started, query: answerTo(started), address });
}

describe('trySignOn', () => {
  signOnTest('shows the claims and who would be signed in, and changes nothing else', async (service) => {
    const { ports, clock, core, linked, actions } = service;
    await ports.identities.link({
      ...{ organizationId: 1, issuer, subject: 'known', userId: 2, linkedAt: clock.now() },
    });
    for (const [person, would, email] of [
      [aPerson('known'), 'sign-in', aUser(2).email],
      [aPerson('idp-3', { groups: ['a'] }), 'link', aUser(3).email],
      [aPerson('x', { email: aUser(1).email }), 'confirm', aUser(1).email],
    ] as const) {
      const { claims } = person;
      const expected = { hasPassed: true, claims, would, email, reason: null };
      assert.deepEqual(await tried(service, person), expected);
    }
    const refusedPerson = await tried(service, aPerson('nobody'));
    assert.ok(refusedPerson.hasPassed && refusedPerson.would === 'refuse');
    assert.match(refusedPerson.reason ?? '', /only members are admitted/);
    assert.deepEqual([await linked(1), await linked(3), await actions()], [null, null, []]);
    assert.equal((await core.listMembers({ organization })).totalItems, 3);
    for (const userId of [1, 2, 3])
      assert.deepEqual(
        await ports.sessions.ofUser({ userId, createdAfter: new Date(0), seenAfter: new Date(0), limit: 9 }),
        [],
      );
  });

  signOnTest(
    'works while sign-on is off, and is kept with the owner and the time',
    async (service) => {
      const { core, clock } = service;
      const before = await core.readSignOn({ organization });
      clock.advance(60_000);
      await tried(service, aPerson('x', { email: 'new@north.example' }));
      const tested = { by: 1, at: clock.now() };
      assert.deepEqual(await core.readSignOn({ organization }), { ...before, tested, asOf: clock.now() });
    },
    { isOn: false, admits: 'anyone' },
  );

  signOnTest(
    'does not tell whether an address has an account elsewhere',
    async (service) => {
      for (const email of [aUser(4).email, 'new@north.example']) {
        const person = aPerson('x', { email });
        const { claims } = person;
        const expected = { hasPassed: true, claims, would: 'register', email: null, reason: null };
        assert.deepEqual(await tried(service, person), expected);
      }
    },
    { admits: 'anyone' },
  );

  signOnTest('tells the owner why it failed, and is not kept then', async (service) => {
    const failure = { failure: 'invalid', reason: 'the nonce differs', code: null } as const;
    assert.deepEqual(await tried(service, failure), { hasPassed: false, reason: 'the nonce differs' });
    assert.equal((await service.core.readSignOn({ organization }))?.tested, null);
  });

  signOnTest('is for the owner who began it, once, and the settings that were tried', async (service) => {
    const { core, begin, script, clock } = service;
    script.person = aPerson('x');
    const end = (started: Awaited<ReturnType<typeof begin>>, userId = 1) =>
      core.trySignOn({ organizationId: 1, userId, started, query: answerTo(started), address });
    const ended = refused('sign-on-ended');
    await assert.rejects(end(await begin(2)), ended);
    await assert.rejects(end(await begin(null)), ended);
    const started = await begin(1);
    await end(started);
    await assert.rejects(end(started), ended);
    const { identityProvider } = service.ports;
    assert.ok(identityProvider);
    const { finish } = identityProvider;
    identityProvider.finish = async (settings, answer) => {
      clock.advance(1);
      await core.switchSignOn({ organization, to: 'off' });
      return finish(settings, answer);
    };
    await assert.rejects(end(await begin(1)), ended);
  });
});

describe('endProviderSession', () => {
  signOnTest('ends the sessions of the session at the provider or of the person', async (service) => {
    const { core, script, signedIn } = service;
    const isOpen = async (session: { reveal(): string }) =>
      (await core.resumeSession({ session: session.reveal() })) !== null;
    const open = async (sid: string) => (await signedIn({ ...aPerson('idp-3'), sid })).session;
    const [one, other] = [await open('a'), await open('b')];
    const end = async (logout: SignOnService['script']['logout']) => {
      script.logout = logout;
      await core.endProviderSession({ organizationId: 1, token: 'token' });
      return [await isOpen(one), await isOpen(other)];
    };
    assert.deepEqual(await end({ subject: 'unknown', sid: null }), [true, true]);
    assert.deepEqual(await end({ subject: 'unknown', sid: 'a' }), [true, true]);
    assert.deepEqual(await end({ subject: 'idp-3', sid: 'c' }), [true, true]);
    assert.deepEqual(await end({ subject: null, sid: 'a' }), [false, true]);
    assert.deepEqual(await end({ subject: 'idp-3', sid: null }), [false, false]);
  });

  signOnTest('refuses a token that proves nothing, with the reason', async ({ core, script }) => {
    const end = () => core.endProviderSession({ organizationId: 1, token: 'token' });
    script.logout = { failure: 'invalid', reason: 'the token has a nonce', code: null };
    await assert.rejects(end(), refused('logout-token-invalid', 'the token has a nonce'));
    script.logout = { failure: 'unreachable', reason: 'no keys', code: null };
    await assert.rejects(end(), refused('sign-on-unreachable'));
    await core.switchSignOn({ organization, to: 'off' });
    await assert.rejects(end(), refused('sign-on-off'));
  });
});

describe('unlinkIdentity', () => {
  signOnTest('ends the identity and its sessions, so that another one can be linked', async (service) => {
    const { core, signedIn, signOn, actions } = service;
    const { session } = await signedIn(aPerson('idp-3'));
    const identity = await core.readIdentity({ organization, userId: 3 });
    assert.equal(identity?.subject, 'idp-3');
    const second = aPerson('second', { sub: 'idp-3' });
    await assert.rejects(signOn(second), refused('sign-on-not-admitted'));
    await core.unlinkIdentity({ organization, userId: 3 });
    assert.equal(await core.readIdentity({ organization, userId: 3 }), null);
    assert.equal(await core.resumeSession({ session: session.reveal() }), null);
    assert.deepEqual((await actions())[0], ['identity-unlinked', aUser(3).email]);
    await assert.rejects(core.unlinkIdentity({ organization, userId: 3 }), refused('identity-not-found'));
    await assert.rejects(core.unlinkIdentity({ organization, userId: 4 }), refused('member-not-found'));
    assert.equal((await signedIn(second)).user.id, 3);
  });
});
