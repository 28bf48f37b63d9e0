import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type Refusal, Secret } from '@rollcall/core';
import { anOrganization, aUser } from '@rollcall/core/testing';
import { organization } from '../../support/core/organization.js';
import { serviceTest } from '../../support/core/service-test.js';

const password = new Secret('correct horse');
const by = { who: { kind: 'command-line' }, from: null } as const;
const name = { firstName: 'René', lastName: 'Kim' };
const composed = 'réné@example.test';
/** Another form of an address, and the one that is stored. */
const forms = [
  { form: 'decomposed accents', other: 'Re\u0301ne\u0301@Example.test', stored: composed },
  // What a browser posts for an address with an umlaut in its domain.
  { form: 'an encoded domain', other: 'dana@XN--BCHER-KVA.example.test', stored: 'dana@bücher.example.test' },
  { form: 'a full-width domain', other: 'dana@ｂÜcher．example.test', stored: 'dana@bücher.example.test' },
] as const;
/** Looks like `composed`, but contains an invisible character. */
const hidden = 'ré\u034fné@example.test';

describe('An email address in every use-case', () => {
  const emailTest = serviceTest({
    organizations: [anOrganization(1)],
    users: [aUser(1)],
    memberships: [{ organizationId: 1, userId: 1, role: 'owner', idpId: null }],
  });

  for (const { form, other, stored } of forms) {
    emailTest(`identifies the same person in the form with ${form}`, async ({ core, ports }) => {
      const user = await core.addUser({ email: other, ...name, password });
      assert.equal(user.email, stored);
      const again = core.addUser({ email: stored, ...name, password });
      await assert.rejects(again, problem(`email: ${stored} belongs to a user already`));
      for (const email of [other, stored]) {
        const signedIn = await core.signIn({ email, password, address: '192.0.2.1' });
        assert.equal(signedIn.user.id, user.id);
        await core.setPassword({ email, password });
        await core.endSessions({ email, by });
        assert.equal((await core.readUserData({ email })).account?.id, user.id);
      }
      const member = { organizationId: 1, role: 'member', idpId: null } as const;
      assert.equal((await core.addMember({ ...member, email: other })).user.id, user.id);
      const registered = core.registerUser({ organizationId: 1, email: other, ...name });
      await assert.rejects(registered, problem('email: this user is already a member of the organization'));
      const invited = core.inviteUser({ organization, email: other, ...name });
      await assert.rejects(invited, problem('email: this user is already a member of the organization'));
      const found = async (query: { readonly email?: string; readonly search?: string }) =>
        (await core.listUsers({ organization, ...query })).items.map((one) => one.user.email);
      assert.deepEqual(await found({ email: other }), [stored]);
      assert.deepEqual(await found({ search: other }), [stored]);
      const { items } = await core.listMembers({ organization, search: other.slice(other.indexOf('@')) });
      assert.ok(items.some((one) => one.user.email === stored));
      await core.setEmail({ email: other, to: 'nai\u0308ve@example.test', by });
      const { entries } = await ports.auditTrail.list({ organizationId: 1, offset: 0, limit: 1 });
      assert.deepEqual(
        entries.map(({ actor, action, subject }) => [actor, action, subject]),
        [[by, 'email-changed', `${stored} → naïve@example.test`]],
      );
      const taken = core.setEmail({ email: 'naïve@example.test', to: aUser(1).email });
      await assert.rejects(taken, problem(`to: ${aUser(1).email} belongs to a user already`));
      const unknown = core.setEmail({ email: 'no@one.test', to: 'a@b.test' });
      await assert.rejects(unknown, problem('email: there is no user no@one.test'));
      assert.equal((await ports.users.byEmail('naïve@example.test'))?.id, user.id);
      await core.eraseUser({ email: 'nai\u0308ve@example.test', by });
    });

    emailTest(`a pending invitation is found in the form with ${form}`, async ({ core }) => {
      const one = await core.inviteUser({ organization, email: other, ...name });
      const same = await core.inviteUser({ organization, email: stored, ...name });
      assert.deepEqual(
        [one.email, same.email, same.uuid, same.invitationUrl],
        [stored, stored, one.uuid, one.invitationUrl],
      );
      const text = `${other},René,Kim\n${stored},René,Kim`;
      const lines = await core.inviteLines({ organization, text });
      assert.deepEqual(
        lines.map(({ problems }) => problems),
        [[], [{ field: 'email', code: 'duplicate', message: 'is in line 1 already' }]],
      );
      const found = await core.findInvitations({ organization, email: other });
      assert.deepEqual(
        found.items.map(({ email }) => email),
        [stored],
      );
    });
  }

  emailTest('is refused if it contains invisible characters', async ({ core, ports }) => {
    await core.addUser({ email: composed, ...name, password });
    const wrong = problem('email must be an email address such as dana@example.com');
    await assert.rejects(core.addUser({ email: hidden, ...name, password: null }), wrong);
    await assert.rejects(core.registerUser({ organizationId: 1, email: hidden, ...name }), wrong);
    await assert.rejects(core.inviteUser({ organization, email: hidden, ...name }), wrong);
    const [line] = await core.inviteLines({ organization, text: `${hidden},René,Kim` });
    const message = 'must be an email address such as dana@example.com';
    assert.deepEqual(line?.problems, [{ field: 'email', code: 'malformed', message }]);
    await assert.rejects(
      core.setEmail({ email: composed, to: hidden }),
      problem('to must be an email address such as dana@example.com'),
    );

    // An address that was stored before this rule is refused everywhere, but can be changed.
    const { uuid, createdAt } = aUser(2);
    const legacy = { uuid, createdAt, ...name, passwordHash: await ports.passwords.hash(password) };
    await ports.users.create({ ...legacy, email: hidden });
    const member = { organizationId: 1, role: 'member', idpId: null } as const;
    await assert.rejects(core.addMember({ ...member, email: hidden }), wrong);
    await assert.rejects(core.setPassword({ email: hidden, password }), wrong);
    const signIn = core.signIn({ email: hidden, password, address: '192.0.2.1' });
    await assert.rejects(signIn, problem('The email address or password is wrong'));
    await core.setEmail({ email: hidden, to: 'renee@example.test' });
    await core.signIn({ email: 'renee@example.test', password, address: '192.0.2.1' });
  });

  emailTest(
    'an invitation that another program stored creates no user whose address looks like another one',
    async (service) => {
      const accept = async (email: string) => {
        const { uuid: userUuid } = aUser(email.length);
        const invitation = await service.ports.invitations.findOrCreatePending({
          ...{
            id: service.ports.ids.uuid(),
            keyId: service.ports.secrets.keyId,
            organizationId: 1,
            role: 'member',
            expiresAt: null,
            userUuid,
            email,
          },
          ...{ ...name, createdAt: service.clock.now(), idpId: null, invitedBy: null },
        });
        assert.ok(typeof invitation === 'object');
        const token = service.ports.secrets.invitationToken(invitation).reveal();
        const person = { is: 'new', ...name, password } as const;
        return service.core.acceptInvitation({ token, person, address: '192.0.2.1' });
      };
      await assert.rejects(
        accept(hidden),
        problem('email must be an email address such as dana@example.com'),
      );
      const { user } = await accept('re\u0301ne\u0301@example.test');
      assert.equal(user.email, composed);
    },
  );
});

function problem(message: string) {
  return (error: unknown) => {
    assert.deepEqual((error as Refusal).texts(), [message]);
    return true;
  };
}
