import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Core, type CreatedSession, createCore, Refusal, Secret } from '@rollcall/core';
import { anOrganization, aUser, memoryPorts, plainPasswords, testUuid } from '@rollcall/core/testing';
import fc from 'fast-check';
import type { PageClient } from '../support/page/client.js';
import { noLimits, type Site, startSite } from '../support/security/site.js';

// Organization 1 attacks: it has its token, every URL from an answer, and any browser. The victim has
// an account and is a member of organization 2.

const victimEmail = 'victim-k@example.test';
const victimPassword = 'nobody else knows this';
/** As the test's password hasher stores it. */
const victimHash = plainPasswords().hash(new Secret(victimPassword));
const chosenPassword = 'what the attacker would like';
const victimId = 100;
/** A member of organization 2 who was imported and never had a password. */
const passwordlessEmail = 'passwordless-k@example.test';
const passwordlessId = 101;

const people = {
  organizations: [anOrganization(1, { name: 'Attacker' }), anOrganization(2, { name: 'Victims' })],
  users: [aUser(victimId, { email: victimEmail }), aUser(passwordlessId, { email: passwordlessEmail })],
  memberships: [victimId, passwordlessId].map((userId) => ({
    organizationId: 2,
    userId,
    role: 'owner' as const,
    idpId: null,
  })),
};

// ── Sequences of calls to the core ──────────────────────────────────────────────────────────────────────────

interface Attack {
  readonly core: Core;
  /** What the attacker has: links, and sessions with their users. */
  readonly invitations: Set<string>;
  readonly links: Set<string>;
  readonly uuids: Set<string>;
  readonly sessions: CreatedSession[];
  /** Whether the victim has accepted an invitation of organization 1. */
  hasAccepted: boolean;
}

type Step = (attack: Attack, email: string) => Promise<void>;

const attacker = { organization: { id: 1 } } as const;
const address = 'the attacker';

const steps: Readonly<Record<string, Step>> = {
  invite,
  // The kelvin sign becomes a k in lower case.
  'invite by another spelling': (attack, email) =>
    invite(attack, ` ${email.toUpperCase().replace('K', '\u212a')} `),
  async 'accept as a new person'({ core, invitations, sessions }) {
    for (const token of invitations) {
      const password = new Secret(chosenPassword);
      const person = { is: 'new', firstName: 'V', lastName: 'V', password } as const;
      await collectSession(sessions, core.acceptInvitation({ token, person, address }));
    }
  },
  async 'accept as a known person'({ core, invitations, sessions }) {
    for (const token of invitations) {
      for (const guess of [chosenPassword, '', 'undefined', 'null']) {
        const person = { is: 'known', password: new Secret(guess) } as const;
        await collectSession(sessions, core.acceptInvitation({ token, person, address }));
      }
    }
  },
  async 'issue login links'({ core, links, uuids }) {
    for (const uuid of [...uuids, testUuid(victimId), testUuid(passwordlessId)]) {
      const issued = await core.issueLoginLink({ ...attacker, uuid }).catch(refusal);
      if (issued !== null) links.add(tokenOf(issued.url));
    }
  },
  async 'redeem everything as a login link'({ core, links, invitations, sessions }) {
    for (const token of [...links, ...invitations])
      await collectSession(sessions, core.redeemLoginLink({ token }));
  },
  async 'sign in'({ core, sessions }, email) {
    for (const guess of [chosenPassword, '']) {
      await collectSession(sessions, core.signIn({ email, password: new Secret(guess), address }));
    }
  },
  async 'the victim accepts'(attack, email) {
    if (email !== victimEmail) return;
    const { core, invitations } = attack;
    for (const token of invitations) {
      const person = { is: 'known', password: new Secret(victimPassword) } as const;
      const opened = await core.acceptInvitation({ token, person, address: 'the victim' }).catch(refusal);
      if (opened !== null) attack.hasAccepted = true;
    }
  },
};

async function invite({ core, invitations, uuids }: Attack, email: string): Promise<void> {
  const person = { email, firstName: 'V', lastName: 'V' };
  const invited = await core.inviteUser({ ...attacker, ...person }).catch(refusal);
  if (invited === null) return;
  invitations.add(tokenOf(invited.invitationUrl));
  uuids.add(invited.uuid);
}

function tokenOf(url: string): string {
  return url.split('/').at(-1) ?? '';
}

/** Ignores a refusal; any other error is a bug. */
function refusal(error: unknown): null {
  if (error instanceof Refusal) return null;
  throw error;
}

async function collectSession(sessions: CreatedSession[], attempt: Promise<CreatedSession>): Promise<void> {
  const opened = await attempt.catch(refusal);
  if (opened !== null) sessions.push(opened);
}

async function startAttack(): Promise<Attack & { passwordHash(userId: number): Promise<string | null> }> {
  const { ports, load } = memoryPorts({ limits: noLimits });
  const core = createCore(ports, {
    links: {
      invitation: (token) => `http://x/${token.reveal()}`,
      login: (token) => `http://x/${token.reveal()}`,
      defaultAvatar: 'http://x/a.svg',
    },
  });
  await load(people);
  await core.setPassword({ email: victimEmail, password: new Secret(victimPassword) });
  return {
    core,
    invitations: new Set(),
    links: new Set(),
    uuids: new Set(),
    sessions: [],
    hasAccepted: false,
    passwordHash: (userId) => ports.users.passwordHash(userId),
  };
}

/** What must be true after any sequence. */
async function assertSafe(attack: Awaited<ReturnType<typeof startAttack>>): Promise<void> {
  const { core, sessions, hasAccepted, passwordHash } = attack;
  const allowed = hasAccepted ? [1] : [];
  const bounds = new Set(sessions.filter(({ user }) => user.id === victimId).map(({ boundTo }) => boundTo));
  // A victim who accepts is a member of the attacker: login links open its own member page and nothing else (decision 19).
  for (const bound of bounds) assert.ok(bound !== null && allowed.includes(bound), `bound to ${bound}`);
  assert.deepEqual(
    sessions.filter(({ user }) => user.id !== victimId),
    [],
  );
  assert.equal(await passwordHash(victimId), await victimHash);
  assert.equal(await passwordHash(passwordlessId), null);
  const memberships = await core.listMemberships({ userId: victimId });
  assert.deepEqual(
    memberships.map(({ organization, role }) => [organization.id, role]),
    [...(hasAccepted ? [[1, 'member']] : []), [2, 'owner']],
  );
  assert.equal((await core.listMemberships({ userId: passwordlessId })).length, 1);
}

describe('An organization that invites a person with an account elsewhere', () => {
  const names = Object.keys(steps);

  for (const [who, email] of [
    ['a person with a password', victimEmail],
    ['a person who never had one', passwordlessEmail],
  ] as const) {
    test(`gets neither a session nor the password of ${who} by any four of ${names.length} steps in any order`, async () => {
      const sequences = names.flatMap((a) =>
        names.flatMap((b) => names.flatMap((c) => names.map((d) => [a, b, c, d]))),
      );
      let opened = 0;
      for (const sequence of sequences) {
        const attack = await startAttack();
        try {
          for (const name of sequence) await steps[name]?.(attack, email);
          await assertSafe(attack);
        } catch (error) {
          throw new Error(`${sequence.join(', then ')}: ${(error as Error).message}`, { cause: error });
        }
        opened += attack.sessions.length;
      }
      assert.equal(sequences.length, names.length ** 4);
      // The steps have an effect: once the victim has accepted, login links open sessions.
      assert.equal(opened > 0, email === victimEmail);
    });
  }
});

// ── Random sequences of requests and forms ──────────────────────────────────────────────────────────────────

describe('The same attack with forms and requests', () => {
  let site: Site;
  let token = '';
  before(async () => {
    site = await startSite({ database: 'sqlite', ports: { limits: noLimits } });
    await site.load(people);
    await site.core.setPassword({ email: victimEmail, password: new Secret(victimPassword) });
    const { accessKey } = await site.core.generateAccessKey({ organizationId: 1 });
    const opened = await site.core.authenticate({ accessKey: accessKey.reveal(), address });
    token = opened.token.reveal();
  });
  after(() => site.stop());

  interface BrowserAttack {
    readonly browser: PageClient;
    readonly email: string;
    readonly paths: Set<string>;
    readonly uuids: Set<string>;
  }

  const call = (path: string, json?: unknown) =>
    site.client.send('POST', `/api/v2/organizations/1${path}`, {
      headers: { Authorization: `Bearer ${token}` },
      ...(json !== undefined && { json }),
    });

  const fields = {
    'as a new person': { first_name: 'V', last_name: 'V', password: chosenPassword },
    'as a known person': { password: chosenPassword },
    'with fields of both kinds': { first_name: '', password: chosenPassword, new_password: chosenPassword },
    'with the victim’s address': {
      email: victimEmail,
      first_name: 'V',
      last_name: 'V',
      password: chosenPassword,
    },
    'with ids': {
      password: chosenPassword,
      user_id: '100',
      organization_id: '2',
      hasAccount: 'false',
      is: 'new',
    },
  } as const;

  const actions: Readonly<Record<string, (attacker: BrowserAttack) => Promise<unknown>>> = {
    async invite({ email, paths, uuids }) {
      const { json } = await call('/invite_user', { email, first_name: 'V', last_name: 'V' });
      if (json.user === undefined) return;
      paths.add(new URL(json.user.invitation_url).pathname);
      uuids.add(json.user.id);
    },
    async 'issue links'({ paths, uuids }) {
      for (const uuid of [...uuids, testUuid(victimId)]) {
        const { json } = await call(`/users/${uuid}/generate_otl_url`);
        if (json.otl_url !== undefined) paths.add(new URL(json.otl_url).pathname);
      }
    },
    async 'open every page'({ browser, paths }) {
      for (const path of paths) await browser.open(path);
    },
    ...Object.fromEntries(
      Object.entries(fields).map(([name, values]) => [
        `send every form ${name}`,
        async ({ browser, paths }: BrowserAttack) => {
          for (const path of paths) {
            const page = await browser.open(path);
            const { form_token = '' } = page.fields;
            await browser.send({ path, fields: { form_token, ...values } });
            await browser.send({ path: path.replace('invitations', 'login'), fields: { form_token } });
            await browser.send({
              path: path.replace('login', 'invitations'),
              fields: { form_token, ...values },
            });
          }
        },
      ]),
    ),
    'sign in': ({ browser, email }) => browser.fillIn('/sign-in', { email, password: chosenPassword }),
    'sign out': ({ browser }) => browser.fillIn('/meetings', {}, '/sign-out'),
  };

  test('no sequence of requests and forms opens a page of the victim or changes the password', async () => {
    const names = fc.array(fc.constantFrom(...Object.keys(actions)), { minLength: 1, maxLength: 5 });
    const emails = fc.constantFrom(victimEmail, 'VICTIM-K@example.test', passwordlessEmail);
    await fc.assert(
      fc.asyncProperty(names, emails, async (sequence, email) => {
        const attacker = {
          browser: site.browser(),
          email,
          paths: new Set<string>(),
          uuids: new Set<string>(),
        };
        for (const name of ['invite', ...sequence]) await actions[name]?.(attacker);
        const start = await attacker.browser.open('/meetings');
        assert.equal(start.status, 303);
        assert.match(String(start.location), /^\/sign-in/);
        for (const id of [1, 2]) {
          const page = await attacker.browser.open(`/organizations/${id}/meetings`);
          assert.deepEqual([page.status, /^\/sign-in\?/.test(String(page.location))], [303, true]);
        }
      }),
      { numRuns: 30, seed: 20_261_120, endOnFailure: true },
    );
    const victim = site.browser();
    const opened = await victim.fillIn('/sign-in', { email: victimEmail, password: victimPassword });
    assert.deepEqual([opened.status, opened.location], [303, '/meetings']);
    const own = await victim.open('/organizations/2/meetings');
    assert.equal(own.status, 200);
    assert.equal((await victim.open('/organizations/1/meetings')).status, 404);
    assert.equal((await site.ports.users.passwordHash(passwordlessId)) ?? null, null);
    assert.deepEqual(site.reports, []);
  });

  test('an attacker’s invitation or link does not change whose session the victim’s browser has', async () => {
    const victim = site.browser();
    await victim.fillIn('/sign-in', { email: victimEmail, password: victimPassword });
    const { json } = await call('/invite_user', { email: victimEmail, first_name: 'V', last_name: 'V' });
    const path = new URL(json.user.invitation_url).pathname;
    // Opened and sent without the password, as another site could make a browser do.
    await victim.open(path);
    const sent = await victim.send({ path, fields: {}, headers: { Origin: 'https://attacker.test' } });
    assert.equal(sent.status, 403);
    assert.equal((await victim.fillIn(path, { password: '' })).status, 422);
    assert.equal((await victim.open('/organizations/2/meetings')).status, 200);
    assert.equal((await victim.open('/organizations/1/meetings')).status, 404);
  });

  test('once the victim has accepted, the attacker’s links open the attacker’s page and no other', async () => {
    const { json } = await call('/invite_user', { email: victimEmail, first_name: 'V', last_name: 'V' });
    const victim = site.browser();
    const path = new URL(json.user.invitation_url).pathname;
    assert.equal((await victim.fillIn(path, { password: victimPassword })).status, 303);

    const link = await call(`/users/${json.user.id}/generate_otl_url`);
    const attacking = site.browser();
    const opened = await attacking.fillIn(new URL(link.json.otl_url).pathname, {});
    assert.deepEqual([opened.status, opened.location], [303, '/organizations/1/meetings']);
    for (const [path, status, location] of [
      ['/organizations/1/meetings', 200, null],
      ['/organizations/2/meetings', 403, null],
      ['/organizations/999/meetings', 403, null],
      ['/meetings', 303, '/organizations/1/meetings'],
      ['/', 303, '/meetings'],
      ['/sign-in', 200, null],
    ] as const) {
      const page = await attacking.open(path);
      assert.deepEqual([path, page.status, page.location], [path, status, location]);
      assert.doesNotMatch(page.text, /Victims/);
    }
  });
});
