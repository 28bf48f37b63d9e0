import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import { aSignOn } from '#core/testing/new-sign-on.js';
import { refused } from '../../support/core/refused.js';
import {
  address,
  answerTo,
  aPerson,
  issuer,
  type SignOnService,
  signOnTest,
} from '../../support/core/sign-on-service.js';

const ana = { given_name: 'Ana', family_name: 'Lopez', email: 'Ana@North.example' };
const notAdmitted = refused(
  'sign-on-not-admitted',
  'You don’t have access to this organization. Ask an owner',
);

/** Everything that a sign-on could store. */
async function stored({ core, ports, linked }: SignOnService) {
  const { items } = await core.listMembers({ organization: { id: 1 } });
  const identities = await Promise.all(items.map(({ user }) => linked(user.id)));
  const sessions = await Promise.all(
    items.map(({ user }) =>
      ports.sessions.ofUser({ userId: user.id, createdAfter: new Date(0), seenAfter: new Date(0), limit: 9 }),
    ),
  );
  return { items, identities, sessions };
}

/** Checks that this person is refused, with the one text, and nothing is stored. */
async function assertNotAdmitted(service: SignOnService, person: ReturnType<typeof aPerson>, reason: RegExp) {
  const before = await stored(service);
  await assert.rejects(service.signOn(person), notAdmitted);
  assert.deepEqual(await stored(service), before);
  const last = service.security.at(-1);
  assert.ok(last?.kind === 'sign-on-failed');
  assert.equal(last.organizationId, 1);
  assert.match(last.reason, reason);
  assert.doesNotMatch(last.reason, /@/);
}

const addresses = ['bo@north.example', null, 'di@north.example'];

/** Adds a person by the directory, and returns the UUID. */
async function provisioned(
  { core }: SignOnService,
  entry: { readonly userName: string; readonly email: string | null; readonly externalId?: string },
  organizationId = 1,
): Promise<string> {
  const names = { givenName: 'Bo', familyName: 'Lee', displayName: null };
  const organization = { id: organizationId };
  const whole = { ...names, externalId: null, ...entry, isActive: true };
  return (await core.provisionUser({ organization, entry: whole, from: '' })).uuid;
}

describe('finishSignOn: who the person is', () => {
  signOnTest('1. a known identity is its member, whatever the claims say now', async (service) => {
    const { ports, clock, signedIn } = service;
    const link = { organizationId: 1, issuer, subject: 'x', userId: 2, linkedAt: clock.now() };
    await ports.identities.link(link);
    clock.advance(60_000);
    const { user, boundTo } = await signedIn(aPerson('x', { email: aUser(1).email, sub: 'idp-3' }));
    assert.deepEqual([user.id, boundTo], [2, 1]);
    assert.deepEqual((await service.linked(2))?.usedAt, clock.now());
  });

  signOnTest('1. the same subject of another issuer or organization is not known', async (service) => {
    const { ports, clock } = service;
    await ports.signOns.save(2, () => aSignOn());
    const key = { issuer, subject: 'x', userId: 4, linkedAt: clock.now() };
    assert.equal(typeof (await ports.identities.link({ ...key, organizationId: 2 })), 'object');
    await assertNotAdmitted(service, aPerson('x'), /only members are admitted/);
  });

  signOnTest(
    '2. a member whose idpId is the claim is linked',
    async ({ signedIn, linked, clock, actions }) => {
      const { user, boundTo } = await signedIn(aPerson('idp-3', { email: 'other@north.example' }));
      assert.deepEqual([user.id, boundTo], [3, 1]);
      assert.deepEqual(await linked(3), {
        ...{ organizationId: 1, issuer, subject: 'idp-3', userId: 3 },
        ...{ linkedAt: clock.now(), usedAt: clock.now() },
      });
      assert.deepEqual(await actions(), [['identity-linked', aUser(3).email]]);
    },
  );

  signOnTest(
    '2. the claim is the one of the settings',
    async ({ signedIn, linked }) => {
      await signedIn(aPerson('pairwise', { oid: 'idp-3' }));
      assert.equal((await linked(3))?.subject, 'pairwise');
    },
    { idClaim: 'oid' },
  );

  signOnTest('2. the idpId of another organization links nobody', async (service) => {
    await assertNotAdmitted(service, aPerson('idp-4'), /only members are admitted/);
  });

  signOnTest('3. a member whom the directory knows by the name or the address is linked', async (service) => {
    for (const [index, claims] of [
      { preferred_username: 'BO', sub: 'x0' },
      { upn: 'cy@north.example', sub: 'x1' },
      { email: 'Di@North.example', sub: 'x2' },
    ].entries()) {
      const names = ['bo', 'CY@north.example', 'di'];
      const uuid = await provisioned(service, {
        userName: names[index] ?? '',
        email: addresses[index] ?? null,
      });
      const { user, boundTo } = await service.signedIn(aPerson(`x${index}`, claims));
      assert.deepEqual([user.uuid, boundTo], [uuid, 1]);
      assert.equal((await service.linked(user.id))?.subject, `x${index}`);
    }
  });

  signOnTest(
    '3. the directory of another organization, and who was deactivated, link nobody',
    async (service) => {
      const entry = { userName: 'bo', email: 'bo@north.example' };
      const uuid = await provisioned(service, entry, 2);
      await assertNotAdmitted(service, aPerson('x', { preferred_username: 'bo' }), /only members/);
      await provisioned(service, { userName: 'cy', email: 'cy@north.example' });
      assert.ok(uuid);
      const listed = await service.ports.directory.byUserName({ organizationId: 1, userName: 'cy' });
      await service.core.changeProvisioned({
        ...{ organization: { id: 1 }, uuid: listed?.uuid ?? '', from: '' },
        change: (one) => ({ ...one, isActive: false }),
      });
      await assertNotAdmitted(
        service,
        aPerson('x', { preferred_username: 'cy' }),
        /directory has deactivated/,
      );
    },
  );

  signOnTest('3. an admin whom the directory has written has to confirm', async (service) => {
    await service.core.changeProvisioned({
      ...{ organization: { id: 1 }, uuid: aUser(2).uuid, from: '' },
      change: (one) => ({ ...one, userName: 'admin' }),
    });
    const finished = await service.signOn(aPerson('x', { preferred_username: 'admin' }));
    assert.ok(finished.kind === 'confirm');
    assert.equal(finished.member.user.id, 2);
  });

  signOnTest('3. a name that no database can store is no name', async (service) => {
    await assertNotAdmitted(service, aPerson('x', { preferred_username: 'a\0b' }), /only members/);
  });

  signOnTest('4. an admin has to confirm, also if the idpId is the claim', async ({ signOn, linked }) => {
    const finished = await signOn(aPerson('idp-2'));
    assert.ok(finished.kind === 'confirm');
    assert.equal(finished.member.user.id, 2);
    const key = { organizationId: 1, issuer, subject: 'idp-2' };
    const rest = { userId: 2, idpId: 'idp-2', sid: 'sid of idp-2', code: null, isProved: false };
    const { state, startedAt: _, ...confirmation } = finished.confirmation;
    assert.deepEqual(confirmation, { ...key, ...rest });
    assert.notEqual(state, '');
    assert.equal(await linked(2), null);
  });

  signOnTest('4. a member with the address has to confirm, in any case of its letters', async (service) => {
    for (const [userId, claim] of [
      [1, 'email'],
      [3, 'preferred_username'],
      [3, 'upn'],
    ] as const) {
      const before = await stored(service);
      const finished = await service.signOn(aPerson('x', { [claim]: aUser(userId).email.toUpperCase() }));
      assert.ok(finished.kind === 'confirm');
      assert.equal(finished.member.user.id, userId);
      assert.deepEqual(await stored(service), before);
    }
  });

  signOnTest('4. email_verified decides nothing', async (service) => {
    for (const email_verified of [true, false, 'true', undefined]) {
      const finished = await service.signOn(aPerson('x', { email: aUser(3).email, email_verified }));
      assert.equal(finished.kind, 'confirm');
    }
  });

  signOnTest(
    '6. a member who is linked is not linked to a second identity, by id or address',
    async (service) => {
      const { ports, clock } = service;
      for (const userId of [2, 3])
        await ports.identities.link({
          ...{ organizationId: 1, issuer, subject: `first ${userId}`, userId, linkedAt: clock.now() },
        });
      for (const person of [
        aPerson('idp-3'),
        aPerson('idp-2'),
        aPerson('x', { email: aUser(3).email }),
        aPerson('x', { email: aUser(2).email }),
      ])
        await assertNotAdmitted(service, person, /linked to another identity/);
    },
  );

  signOnTest('someone who was linked in another tab meanwhile is known', async (service) => {
    const { ports, signedIn } = service;
    await signedIn(aPerson('idp-3'));
    const { bySubject } = ports.identities;
    Object.assign(ports.identities, { bySubject: async () => null });
    assert.ok((await signedIn(aPerson('idp-3'))).session);
    Object.assign(ports.identities, { bySubject });
  });

  signOnTest('6. nobody else is admitted where only provisioned people are', async (service) => {
    await assertNotAdmitted(service, aPerson('new', ana), /only members are admitted/);
    await assertNotAdmitted(service, aPerson('new', { email: aUser(4).email }), /only members/);
  });
});

describe('finishSignOn where anyone is admitted', () => {
  const anyone = { admits: 'anyone' } as const;

  signOnTest(
    '3. whom the directory has deactivated is refused, by the address and by the id',
    async (service) => {
      const entry = { userName: 'cy', email: 'cy@north.example', externalId: 'id-cy' };
      const uuid = await provisioned(service, entry);
      await service.core.changeProvisioned({
        ...{ organization: { id: 1 }, uuid, from: '' },
        change: (one) => ({ ...one, isActive: false }),
      });
      const named = { given_name: 'Cy', family_name: 'B' };
      for (const person of [
        aPerson('x', { ...named, email: 'cy@north.example' }),
        aPerson('id-cy', { ...named, email: 'other@north.example' }),
      ])
        await assertNotAdmitted(service, person, /directory has deactivated/);
    },
    anyone,
  );

  signOnTest(
    '5. someone new becomes a member whom only sign-on lets in, with one event',
    async ({ core, ports, signedIn, linked, clock }) => {
      await core.configureWebhook({
        ...{ organization: { id: 1 }, how: 'set' },
        webhook: { url: 'https://partner.example', enabled: true, events: ['user.registered'] },
      });
      const { user, boundTo } = await signedIn(aPerson('new', ana));
      const member = await ports.members.byUserId({ organizationId: 1, userId: user.id });
      assert.deepEqual(
        [member?.role, member?.idpId, member?.joinedAt, boundTo],
        ['member', 'new', clock.now(), 1],
      );
      assert.deepEqual([user.email, user.firstName, user.lastName], ['ana@north.example', 'Ana', 'Lopez']);
      assert.equal((await linked(user.id))?.subject, 'new');
      assert.equal(await ports.signOns.opens({ organizationId: 1, userId: user.id }), 'sign-on');
      assert.equal(await ports.users.passwordHash(user.id), null);
      const events = await core.readEvents({ organization: { id: 1 } });
      assert.equal(events.events.length, 1);
      await signedIn(aPerson('new', ana));
      assert.equal((await core.readEvents({ organization: { id: 1 } })).events.length, 1);
    },
    anyone,
  );

  signOnTest(
    '5. an account of someone who is not a member is never used',
    async (service) => {
      const person = aPerson('new', { ...ana, email: aUser(4).email });
      await assertNotAdmitted(service, person, /has an account already/);
      assert.deepEqual(
        (await service.ports.members.ofUser(4)).map(({ organization }) => organization.id),
        [2],
      );
    },
    anyone,
  );

  signOnTest(
    '5. a pending invitation of the person is accepted: its UUID stays, its role is not given',
    async ({ core, ports, signedIn }) => {
      const invited = await core.inviteUser({
        ...{ organization: { id: 1 }, ...{ email: ana.email, firstName: 'A', lastName: 'L' } },
        ...({ role: 'admin', by: { who: { kind: 'user', userId: 1 }, from: null } } as const),
      });
      const { user } = await signedIn(aPerson('new', ana));
      const member = await ports.members.byUserId({ organizationId: 1, userId: user.id });
      assert.deepEqual([member?.uuid, member?.role], [invited.uuid, 'member']);
    },
    anyone,
  );

  signOnTest(
    '5. without an id or an address, or with a name that cannot be used, nobody becomes a member',
    async (service) => {
      const { email, ...names } = ana;
      await assertNotAdmitted(service, aPerson('new', names), /no email address/);
      await assertNotAdmitted(service, aPerson('new', { ...ana, email: 'no address' }), /no email address/);
      await assertNotAdmitted(service, aPerson('new', { ...ana, given_name: 'a\nb' }), /name that cannot/);
      for (const sub of ['.', '..', 'a\nb', 'x'.repeat(501), '', 7, null])
        await assertNotAdmitted(service, aPerson('new', { ...ana, sub }), /the claim sub is missing/);
    },
    anyone,
  );

  signOnTest(
    '5. the name comes from `name`, or from the address',
    async ({ signedIn }) => {
      const { user } = await signedIn(aPerson('1', { email: 'a@north.example', name: 'Ana de la Cruz' }));
      assert.deepEqual([user.firstName, user.lastName], ['Ana', 'de la Cruz']);
      const other = await signedIn(aPerson('2', { email: 'bo@north.example' }));
      assert.deepEqual([other.user.firstName, other.user.lastName], ['bo', '-']);
    },
    anyone,
  );

  signOnTest(
    'of 20 first sign-ons of one person at once, all succeed and one member is made',
    async ({ core, script, begin, ports }) => {
      script.person = aPerson('new', ana);
      const begun = await Promise.all(Array.from({ length: 20 }, () => begin()));
      const finished = await Promise.all(
        begun.map((started) =>
          core.finishSignOn({ organizationId: 1, started, query: answerTo(started), address }),
        ),
      );
      assert.deepEqual(new Set(finished.map(({ kind }) => kind)), new Set(['signed-in']));
      const { totalItems } = await core.listMembers({ organization: { id: 1 } });
      assert.equal(totalItems, 4);
      assert.notEqual(await ports.users.byEmail('ana@north.example'), null);
    },
    anyone,
  );
});

describe('finishSignOn: the session', () => {
  signOnTest('an answer to another sign-on is refused, and does not use this one up', async (service) => {
    const { core, ports, clock, begin, asked } = service;
    await ports.identities.link({
      organizationId: 1,
      issuer,
      subject: 'x',
      userId: 3,
      linkedAt: clock.now(),
    });
    service.script.person = aPerson('x');
    const started = await begin();
    const before = asked.length;
    for (const query of ['', 'code=1', 'code=1&state=other', 'state=&code=1'])
      await assert.rejects(
        core.finishSignOn({ organizationId: 1, started, query, address }),
        refused('sign-on-ended'),
      );
    assert.equal(asked.length, before, 'the provider was asked');
    const finished = await core.finishSignOn({
      ...{ organizationId: 1, started, address },
      query: answerTo(started),
    });
    assert.equal(finished.kind, 'signed-in');
  });

  signOnTest('is limited to the organization, and has the full role there', async (service) => {
    const { core, ports, clock, signedIn } = service;
    const link = { organizationId: 1, issuer, subject: 'x', userId: 2, linkedAt: clock.now() };
    await ports.identities.link(link);
    const { session } = await signedIn(aPerson('x'));
    const resumed = await core.resumeSession({ session: session.reveal() });
    assert.ok(resumed);
    assert.deepEqual([resumed.startedBy, resumed.boundTo, resumed.device], ['sign-on', 1, 'Safari']);
    const { member } = await core.authorizeMember({ session: resumed, organizationId: 1, role: 'admin' });
    assert.equal(member.role, 'admin');
    const owner = core.authorizeMember({ session: resumed, organizationId: 1, role: 'owner' });
    await assert.rejects(owner, refused('role-too-low'));
    const message = 'Sign-on opens one organization only: sign in with your password first';
    const elsewhere = core.authorizeMember({ session: resumed, organizationId: 2, role: 'member' });
    await assert.rejects(elsewhere, refused('session-bound', message));
    const account = core.listSessions({ session: session.reveal() });
    await assert.rejects(account, refused('session-bound', message));
    assert.deepEqual(service.security.at(-1), { kind: 'signed-in', userId: 2, by: 'sign-on', address });
  });

  signOnTest('shows as the last sign-in of the member', async ({ core, clock, signedIn }) => {
    clock.advance(60_000);
    await signedIn(aPerson('idp-3'));
    const last = await core.readLastSignIn({ organization: { id: 1 }, userId: 3 });
    assert.deepEqual(last, { by: 'sign-on', at: clock.now() });
  });
});

describe('finishSignOn: the round trip', () => {
  signOnTest('asks the provider with the client secret, the callback and what was begun', async (service) => {
    const { asked, signedIn } = service;
    await signedIn(aPerson('idp-3'));
    const [begun, finished] = asked;
    assert.equal(begun?.settings.clientSecret.reveal(), 'client-secret');
    assert.equal(begun?.settings.redirectUri, 'https://rollcall.example/1/callback');
    const pending = { state: 'state 1', nonce: 'nonce 1', verifier: 'verifier 1' };
    assert.deepEqual([finished?.pending, finished?.query], [pending, 'code=1&state=state+1']);
  });

  signOnTest(
    'ends once, within ten minutes, for the organization and issuer that were asked',
    async (service) => {
      const { core, ports, clock, script, begin, asked } = service;
      script.person = aPerson('idp-3');
      const finish = (started: Awaited<ReturnType<typeof begin>>, organizationId = 1) =>
        core.finishSignOn({ organizationId, started, query: answerTo(started), address });
      const started = await begin();
      await finish(started);
      const ended = refused('sign-on-ended');
      await assert.rejects(finish(started), ended);
      await assert.rejects(finish({ ...(await begin()), triedBy: 1 }), ended);
      await assert.rejects(finish({ ...(await begin()), organizationId: 2 }), ended);
      await assert.rejects(finish({ ...(await begin()), issuer: 'https://other.example' }), ended);
      await ports.signOns.save(2, () => aSignOn());
      await assert.rejects(finish(await begin(), 2), ended);
      const late = await begin();
      const times = asked.length;
      clock.advance(10 * 60_000);
      await assert.rejects(finish(late), ended);
      assert.equal(asked.length, times);
      const inTime = await begin();
      clock.advance(10 * 60_000 - 1);
      assert.equal((await finish(inTime)).kind, 'signed-in');
    },
  );

  signOnTest(
    'is refused while sign-on is off, and for organizations that have none or do not exist',
    async (service) => {
      const { core, begin, script } = service;
      script.person = aPerson('idp-3');
      const started = await begin();
      await core.switchSignOn({ organization: { id: 1 }, to: 'off' });
      for (const organizationId of [1, 2, 99]) {
        const off = refused('sign-on-off', 'This organization has no sign-on');
        await assert.rejects(core.beginSignOn({ organizationId, address }), off);
        await assert.rejects(
          core.finishSignOn({ organizationId, started, query: answerTo(started), address }),
          off,
        );
      }
    },
  );

  signOnTest(
    'each failure of the provider has its refusal, and the reason only in the security log',
    async (service) => {
      for (const [failure, code, refusal, message] of [
        ['unreachable', null, 'sign-on-unreachable', /does not answer/],
        ['refused', 'access_denied', 'sign-on-refused', /refused \(access_denied\)$/],
        ['refused', null, 'sign-on-refused', /refused$/],
        ['not-asked', null, 'sign-on-ended', /start again/],
        ['invalid', null, 'sign-on-failed', /^The answer of the identity provider is not valid$/],
      ] as const) {
        await assert.rejects(service.signOn({ failure, code, reason: 'the reason' }), (error: Error) => {
          assert.match(error.message, message);
          return refused(refusal)(error);
        });
        assert.deepEqual(service.security.at(-1), {
          ...{ kind: 'sign-on-failed', organizationId: 1, outcome: failure, reason: 'the reason', address },
        });
      }
      service.script.begins = { failure: 'unreachable', code: null, reason: 'no metadata' };
      await assert.rejects(service.begin(), refused('sign-on-unreachable'));
      const last = service.security.at(-1);
      assert.ok(last?.kind === 'sign-on-failed');
      assert.equal(last.reason, 'no metadata');
    },
  );

  signOnTest('without an identity provider, nobody can sign on', async ({ core: _, ports }) => {
    const { createCore } = await import('@rollcall/core');
    const links = { invitation: () => '', login: () => '', defaultAvatar: '' };
    const { identityProvider, ...without } = ports;
    const core = createCore(without, { links });
    await assert.rejects(core.beginSignOn({ organizationId: 1, address }), refused('sign-on-off'));
    const unlinked = createCore(ports, { links });
    await assert.rejects(unlinked.beginSignOn({ organizationId: 1, address }), /links\.signOn is needed/);
  });

  signOnTest(
    'a hint for the form at the provider is handed on unless it is too long',
    async ({ core, asked }) => {
      for (const loginHint of ['ana@north.example', 'x'.repeat(255), null])
        await core.beginSignOn({ organizationId: 1, address, loginHint });
      assert.deepEqual(
        asked.map(({ loginHint }) => loginHint),
        ['ana@north.example', null, null],
      );
    },
  );
});
