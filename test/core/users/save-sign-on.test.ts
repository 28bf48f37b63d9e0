import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { Refusal, type SaveSignOn } from '@rollcall/core';
import { refused } from '../../support/core/refused.js';
import {
  address,
  answerTo,
  aPerson,
  aRequestedSignOn,
  by,
  issuer,
  type SignOnService,
  signOnTest,
} from '../../support/core/sign-on-service.js';

const organization = { id: 1 };

/** The problems of these settings, as `field code`. */
async function problemsOf({ core }: SignOnService, fields: Partial<SaveSignOn['signOn']>, id = 1) {
  try {
    await core.saveSignOn({ organization: { id }, signOn: aRequestedSignOn(fields) });
    return [];
  } catch (error) {
    assert.ok(error instanceof Refusal && error.code === 'invalid-request', String(error));
    return error.problems.map(({ field, code }) => `${field} ${code}`);
  }
}

describe('saveSignOn', () => {
  signOnTest(
    'stores new settings, off, with the client secret encrypted for the organization',
    async (service) => {
      const { core, ports, clock } = service;
      assert.equal(await core.readSignOn({ organization: { id: 2 } }), null);
      const requested = aRequestedSignOn({ admits: 'anyone', acr: 'urn:mfa', secretExpiresOn: '2028-02-29' });
      const saved = await core.saveSignOn({ organization: { id: 2 }, signOn: requested, by });
      const expected = {
        ...{ organizationId: 2, issuer, clientId: 'rollcall', idClaim: 'sub', hostedDomain: null },
        ...({ admits: 'anyone', acr: 'urn:mfa', isOn: false, isRequired: false } as const),
        ...{ secretExpiresOn: '2028-02-29', tested: null, changedAt: clock.now() },
      };
      assert.deepEqual(saved, expected);
      assert.deepEqual(await core.readSignOn({ organization: { id: 2 } }), {
        ...expected,
        asOf: clock.now(),
      });
      const encrypted = (await ports.signOns.of(2))?.encryptedSecret ?? '';
      assert.equal(ports.secrets.decrypt({ encrypted, organizationId: 2 }).reveal(), 'client-secret');
      const { items } = await core.listActivity({ organization: { id: 2 } });
      assert.deepEqual(
        items.map(({ action, subject }) => [action, subject]),
        [['sign-on-configured', 'idp.example']],
      );
    },
  );

  signOnTest('names every mistake with its field', async (service) => {
    const nothing = { issuer: '', clientId: '', clientSecret: '', idClaim: '', admits: '', acr: 'a\nb' };
    assert.deepEqual(await problemsOf(service, { ...nothing, secretExpiresOn: '31.1.2027' }, 2), [
      'issuer required',
      'clientId empty',
      'clientSecret required',
      'idClaim required',
      'admits not-allowed',
      'acr not-storable',
      'secretExpiresOn malformed',
    ]);
    for (const [fields, problem] of [
      [{ clientId: 7 }, 'clientId wrong-type'],
      [{ clientSecret: 7 }, 'clientSecret wrong-type'],
      [{ clientSecret: 'a b' }, 'clientSecret malformed'],
      [{ clientSecret: 'x'.repeat(1001) }, 'clientSecret too-long'],
      [{ idClaim: 'a b' }, 'idClaim malformed'],
      [{ idClaim: ['sub'] }, 'idClaim malformed'],
      [{ hostedDomain: 'no domain' }, 'hostedDomain malformed'],
      [{ secretExpiresOn: '2027-02-30' }, 'secretExpiresOn malformed'],
      [{ secretExpiresOn: 7 }, 'secretExpiresOn malformed'],
    ] as const)
      assert.deepEqual(await problemsOf(service, fields), [problem]);
    const unknown = service.core.saveSignOn({ organization: { id: 99 }, signOn: aRequestedSignOn() });
    await assert.rejects(unknown, refused('organization-not-found'));
  });

  signOnTest('the issuer is an https URL, given as issuer', async (service) => {
    for (const wrong of [
      'idp.example',
      'http://idp.example',
      'https://',
      'https://idp.example/.well-known/openid-configuration',
      'https://idp.example?a=1',
      'https://idp.example/?',
      'https://idp.example#a',
      'https://me:secret@idp.example',
      'https://idp.example/a\nb',
      `https://idp.example/${'x'.repeat(300)}`,
      7,
    ])
      assert.match((await problemsOf(service, { issuer: wrong }))[0] ?? '', /^issuer /, String(wrong));
  });

  signOnTest('issuers that stand for several tenants are refused', async (service) => {
    for (const several of [
      'https://login.microsoftonline.com/common/v2.0',
      'https://login.microsoftonline.com/organizations/v2.0',
      'https://login.microsoftonline.com/Consumers/v2.0',
      'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0',
      'https://login.microsoftonline.com/{tenantid}/v2.0',
      'https://login.microsoftonline.us/common/v2.0',
      'https://sts.windows.net/common/',
      'https://appleid.apple.com',
      'https://gitlab.com',
    ])
      assert.deepEqual(await problemsOf(service, { issuer: several }), ['issuer not-allowed'], several);
    const tenant = 'https://login.microsoftonline.com/0b1c2d3e-0000-4000-8000-000000000000/v2.0';
    assert.deepEqual(await problemsOf(service, { issuer: tenant }), []);
  });

  signOnTest('Google’s issuer needs the domain of the organization', async (service) => {
    const google = { issuer: 'https://accounts.google.com' };
    assert.deepEqual(await problemsOf(service, google), ['hostedDomain required']);
    assert.deepEqual(await problemsOf(service, { ...google, hostedDomain: 'North.Example' }), []);
    const saved = await service.core.readSignOn({ organization });
    assert.equal(saved?.hostedDomain, 'north.example');
  });

  signOnTest('an empty secret keeps the stored one, and the activity names what changed', async (service) => {
    const { core, ports, actions } = service;
    const before = await ports.signOns.of(1);
    const save = (fields: Partial<SaveSignOn['signOn']>) =>
      core.saveSignOn({ organization, signOn: aRequestedSignOn({ clientSecret: null, ...fields }), by });
    await save({ acr: 'urn:mfa', admits: 'anyone' });
    assert.equal((await ports.signOns.of(1))?.encryptedSecret, before?.encryptedSecret);
    await save({ clientSecret: 'another', clientId: 'c', idClaim: 'oid', hostedDomain: 'a.example' });
    await save({ issuer: 'https://other.example' });
    const configured = await actions();
    assert.deepEqual(
      configured.map(([, subject]) => subject),
      [
        'other.example, another issuer, all identities ended, another client, ID from sub, domain none',
        'idp.example, another client, another client secret, ID from oid, domain a.example, admits provisioned, context any',
        'idp.example, admits anyone, context urn:mfa',
      ],
    );
    assert.doesNotMatch(JSON.stringify(configured), /another"|client-secret/);
  });

  signOnTest(
    'a change of the connection asks for a new trial; of issuer or client, it is no longer required',
    async (service) => {
      const { core, ports } = service;
      const tested = { by: 1, at: new Date(0) };
      for (const [fields, isTested, isRequired] of [
        [{}, true, true],
        [{ admits: 'anyone', secretExpiresOn: '2027-01-31' }, true, true],
        [{ acr: 'urn:mfa' }, false, true],
        [{ idClaim: 'oid' }, false, true],
        [{ hostedDomain: 'a.example' }, false, true],
        [{ clientSecret: 'another' }, false, true],
        [{ clientId: 'other' }, false, false],
        [{ issuer: 'https://other.example' }, false, false],
      ] as const) {
        await ports.signOns.save(1, (current) => ({
          ...(current ?? assert.fail()),
          ...{ issuer, clientId: 'rollcall', idClaim: 'sub', hostedDomain: null, acr: null },
          ...{ tested, isRequired: true },
        }));
        const signOn = aRequestedSignOn({ clientSecret: '', ...fields });
        const saved = await core.saveSignOn({ organization, signOn, by });
        assert.deepEqual(
          [fields, saved.tested, saved.isRequired, saved.isOn],
          [fields, isTested ? tested : null, isRequired, true],
        );
      }
    },
  );

  signOnTest('is refused if the settings have changed since they were seen', async ({ core, clock }) => {
    const { changedAt } = (await core.readSignOn({ organization })) ?? assert.fail();
    const save = (unchangedSince: Date | null) =>
      core.saveSignOn({ organization, signOn: aRequestedSignOn(), unchangedSince });
    await assert.rejects(save(null), refused('sign-on-outdated'));
    clock.advance(1);
    await save(changedAt);
    await assert.rejects(save(changedAt), refused('sign-on-outdated'));
  });
});

describe('switchSignOn', () => {
  const switchTo = ({ core }: SignOnService, to: 'on' | 'required' | 'off', userId = 1) =>
    core.switchSignOn({ organization, to, by: { who: { kind: 'user', userId }, from: null } });

  signOnTest(
    'turns sign-on off, with its sessions, and on again, and records changes only',
    async (service) => {
      const { core, signedIn, actions } = service;
      const { session } = await signedIn(aPerson('idp-3'));
      assert.equal((await switchTo(service, 'on')).isOn, true);
      assert.equal((await switchTo(service, 'off')).isOn, false);
      assert.equal(await core.resumeSession({ session: session.reveal() }), null);
      await switchTo(service, 'off');
      assert.equal((await switchTo(service, 'on')).isOn, true);
      assert.deepEqual(
        (await actions()).map(([, subject]) => subject),
        ['turned on, not required', 'turned off', 'user-3@example.test'],
      );
    },
  );

  signOnTest('only an owner whose own trial has passed can require it', async (service) => {
    const { core, script, begin } = service;
    const untested = refused('sign-on-untested');
    await assert.rejects(switchTo(service, 'required'), untested);
    script.person = aPerson('x');
    const started = await begin(1);
    await core.trySignOn({ organizationId: 1, userId: 1, started, query: answerTo(started), address });
    await assert.rejects(switchTo(service, 'required', 2), untested);
    const operator = { who: { kind: 'command-line' }, from: null } as const;
    await assert.rejects(core.switchSignOn({ organization, to: 'required', by: operator }), untested);
    await assert.rejects(core.switchSignOn({ organization, to: 'required' }), untested);
    const required = await switchTo(service, 'required');
    assert.deepEqual([required.isOn, required.isRequired], [true, true]);
    const off = await core.switchSignOn({ organization, to: 'off', by: operator });
    assert.deepEqual([off.isOn, off.isRequired], [false, false]);
  });

  signOnTest('a set-up link can only turn it on', async (service) => {
    const { core, script, begin } = service;
    const staff = { who: { kind: 'setup-link' }, from: null } as const;
    const byStaff = (to: 'on' | 'required' | 'off') => core.switchSignOn({ organization, to, by: staff });
    await switchTo(service, 'off');
    assert.equal((await byStaff('on')).isOn, true);
    script.person = aPerson('x');
    const started = await begin(1);
    await core.trySignOn({ organizationId: 1, userId: 1, started, query: answerTo(started), address });
    const refusal = refused('session-bound');
    for (const to of ['required', 'off'] as const) await assert.rejects(byStaff(to), refusal);
    await switchTo(service, 'required');
    for (const to of ['on', 'off'] as const) await assert.rejects(byStaff(to), refusal);
    for (const change of [{ clientId: 'another' }, { issuer: 'https://other.example' }])
      await assert.rejects(
        core.saveSignOn({ organization, signOn: aRequestedSignOn(change), by: staff }),
        refusal,
      );
    await core.saveSignOn({ organization, signOn: aRequestedSignOn({ admits: 'anyone' }), by: staff });
    assert.equal((await core.readSignOn({ organization }))?.isRequired, true);
  });

  signOnTest('is refused without settings', async ({ core }) => {
    await core.removeSignOn({ organization, by });
    for (const to of ['on', 'required', 'off'] as const)
      await assert.rejects(core.switchSignOn({ organization, to, by }), refused('sign-on-off'));
    await assert.rejects(core.removeSignOn({ organization, by }), refused('sign-on-off'));
    await assert.rejects(core.checkSignOn({ organization }), refused('sign-on-off'));
  });
});

describe('removeSignOn', () => {
  signOnTest('removes the settings and all identities, and is recorded', async (service) => {
    const { core, signedIn, linked, actions } = service;
    const { session } = await signedIn(aPerson('idp-3'));
    await core.removeSignOn({ organization, by });
    assert.equal(await core.readSignOn({ organization }), null);
    assert.equal(await linked(3), null);
    assert.equal(await core.resumeSession({ session: session.reveal() }), null);
    assert.deepEqual((await actions())[0], ['sign-on-removed', 'idp.example']);
  });
});

describe('checkSignOn', () => {
  signOnTest(
    'asks the provider, also while sign-on is off',
    async ({ core, asked }) => {
      const offer = await core.checkSignOn({ organization });
      assert.ok('problems' in offer);
      assert.equal(asked[0]?.settings.issuer, issuer);
    },
    { isOn: false },
  );
});
