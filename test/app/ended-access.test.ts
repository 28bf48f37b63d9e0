import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anOrganization, aUser } from '@rollcall/core/testing';
import { removeOrganization } from '#app/dataset/remove-organization.js';
import { importRecords, memberRecord, password, rules, userRecord } from '../support/import-identity.js';
import { type StoredTestService, startTestService, testNow } from '../support/test-service.js';

const by = { who: { kind: 'command-line' }, from: null } as const;
const organization = { id: 1, name: 'Organization 1' } as const;
const [owner, dana, other] = [aUser(100), aUser(101), aUser(102)];
const corrected = 'corrected@example.test';
const soon = new Date(testNow.getTime() + 60_000);

/** What gives access to Dana's account, or to what the organization knows. */
const all = [
  ...(['session', 'bound session', 'reset link', 'login link'] as const),
  ...(['feed', 'membership', 'invitation', 'token'] as const),
];
type Means = (typeof all)[number];

interface Rule {
  /** What is left of the access. */
  readonly leaves: readonly Means[];
  /** The ways to do it. */
  readonly doors: Readonly<Record<string, (service: StoredTestService) => Promise<unknown>>>;
}

const ofPerson = ['session', 'bound session', 'reset link'] as const;
const ofMember = ['bound session', 'login link', 'feed', 'membership', 'invitation'] as const;
const without = (...ended: readonly Means[]): readonly Means[] => all.filter((one) => !ended.includes(one));

const accessRules: Readonly<Record<string, Rule>> = {
  'another address': {
    leaves: without(...ofPerson),
    doors: {
      setEmail: ({ core }) => core.setEmail({ email: dana.email, to: corrected, by }),
      import: (service) => importRecords(service, [userRecord({ ...dana, email: corrected })]),
      'an import that swaps addresses': (service) =>
        importRecords(service, [
          userRecord({ ...dana, email: other.email }),
          userRecord({ ...other, email: dana.email }),
        ]),
    },
  },
  'another name only': {
    leaves: all,
    doors: {
      setName: ({ core }) =>
        core.setName({ person: { email: dana.email }, firstName: 'Dan', lastName: dana.lastName, by }),
      import: (service) => importRecords(service, [userRecord({ ...dana, firstName: 'Dan' })]),
    },
  },
  'another name of the organization': {
    leaves: all,
    doors: {
      renameOrganization: ({ core }) => core.renameOrganization({ organization, name: 'Northwind', by }),
      import: (service) => importRecords(service, [{ kind: 'organization', id: 1, name: 'Northwind' }]),
    },
  },
  'another role': {
    leaves: all,
    doors: {
      changeRole: ({ core }) => core.changeRole({ organization, userId: 101, role: 'admin', by }),
      import: (service) => importRecords(service, [memberRecord(101, 'admin')]),
    },
  },
  'another password': {
    leaves: without(...ofPerson),
    doors: { setPassword: ({ core }) => core.setPassword({ email: dana.email, password }) },
  },
  'the end of the membership': {
    leaves: without(...ofMember),
    doors: {
      removeMember: ({ core }) => core.removeMember({ organization, userId: 101, by }),
      removeUser: ({ core }) => core.removeUser({ organization, uuid: dana.uuid, by }),
      import: (service) => importRecords(service, [{ ...memberRecord(101), deleted: true }]),
    },
  },
  'the end of the account': {
    leaves: ['token'],
    doors: {
      eraseUser: ({ core }) => core.eraseUser({ email: dana.email, by }),
      import: (service) => importRecords(service, [{ kind: 'user', id: 101, deleted: true }]),
    },
  },
  'the end of the organization': {
    leaves: ['session', 'reset link'],
    doors: {
      removeOrganization: ({ database }) => removeOrganization({ database, rules, at: testNow }, 1),
      import: (service) => importRecords(service, [{ kind: 'organization', id: 1, deleted: true }]),
    },
  },
  'another access key': {
    leaves: without('token'),
    doors: {
      generateAccessKey: ({ core }) => core.generateAccessKey({ organizationId: 1, by }),
      import: (service) =>
        importRecords(service, [
          { kind: 'organization', id: 1, name: 'Organization 1', access_key: '1'.repeat(24) },
        ]),
    },
  },
};

interface Started {
  readonly service: StoredTestService;
  /** What works now. */
  working(): Promise<readonly Means[]>;
}

/** Starts a service in which everything gives access. Dana's address was changed while an invitation to it was pending. */
async function startWithAccess(database: 'sqlite' | 'postgres'): Promise<Started> {
  const service = await startTestService({ database });
  const { core, ports } = service;
  const before = 'before@example.test';
  await service.load({
    organizations: [anOrganization(1)],
    users: [owner, { ...dana, email: before }, other],
    memberships: [
      { organizationId: 1, userId: 100, role: 'owner', idpId: null },
      { organizationId: 1, userId: 101, role: 'member', idpId: null },
    ],
  });
  await core.inviteUser({ organization, email: dana.email, firstName: 'Dana', lastName: 'Kim' });
  await core.setEmail({ email: before, to: dana.email });
  const session = { userId: 101, createdAt: testNow, passwordHash: null };
  assert.ok(await ports.sessions.create({ ...session, hash: 'session', boundTo: null }));
  assert.ok(await ports.sessions.create({ ...session, hash: 'bound', boundTo: 1 }));
  const key = { organizationId: 1, userId: 101, createdAt: testNow };
  assert.ok(await ports.loginLinks.store({ ...key, hash: 'login', expiresAt: soon }));
  assert.ok(await ports.calendarFeeds.create({ ...key, hash: 'feed' }));
  const reset = { email: dana.email, createdAt: testNow, expiresAt: soon };
  assert.ok(await ports.passwordResets.store({ ...reset, hash: 'reset' }));
  const { accessKey } = await core.generateAccessKey({ organizationId: 1, by });
  const { token } = await core.authenticate({ accessKey: accessKey.reveal(), address: '192.0.2.1' });

  const hasSession = async (hash: string) => (await ports.sessions.find(hash)) !== null;
  const works: Record<Means, () => Promise<boolean>> = {
    session: () => hasSession('session'),
    'bound session': () => hasSession('bound'),
    'reset link': async () => (await ports.passwordResets.find('reset')) !== null,
    'login link': async () => (await ports.loginLinks.find('login')) !== null,
    feed: async () => (await ports.calendarFeeds.find('feed')) !== null,
    membership: async () => (await ports.members.byUserId({ organizationId: 1, userId: 101 })) !== null,
    invitation: async () => (await core.findInvitations({ organization, state: 'pending' })).items.length > 0,
    token: () =>
      core.authorize({ token: token.reveal(), organizationId: '1' }).then(
        () => true,
        () => false,
      ),
  };
  return {
    service,
    async working() {
      const found: Means[] = [];
      for (const one of all) if (await works[one]()) found.push(one);
      return found;
    },
  };
}

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`What ends access, over ${engine}`, () => {
    for (const [what, { leaves, doors }] of Object.entries(accessRules))
      for (const [door, go] of Object.entries(doors))
        test(`${what}: ${door}`, async (t) => {
          const { service, working } = await startWithAccess(engine);
          t.after(() => service.stop());
          assert.deepEqual(await working(), all);
          await go(service);
          assert.deepEqual(await working(), leaves);
        });
  });
}
