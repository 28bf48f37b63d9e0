import { deepEqual, equal } from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import type { MembershipFacts, NewEvent } from '@rollcall/core';
import { membershipEvents, userRegistered } from '@rollcall/core/adapters';
import { anOrganization, aUser, testUuid } from '@rollcall/core/testing';
import { loadDataset } from '#app/dataset/load-dataset.js';
import { eventName } from '#core/testing/subscribe.js';
import { ndjson, rules } from '../../support/import-records.js';
import { startTestService, testNow } from '../../support/test-service.js';

type TellOf = (typeof membershipEvents.ended)[number];

/** Tells of the end of a membership as no event does so far. */
const planted: TellOf = ({ organization, member }, { id, at }) => ({
  ...{ id, name: eventName, organizationId: organization.id, createdAt: at },
  body: `${organization.name} ${member.user.id} ${member.role}`,
});

const by = { who: { kind: 'command-line' }, from: null } as const;
const organization = { id: 1 };

async function start(database: 'memory' | 'sqlite') {
  const wakes: string[][] = [];
  const wake = (events: readonly NewEvent[] = []) => void wakes.push(events.map(({ body }) => body));
  const service = await startTestService({ database, ports: { dispatcher: { wake } } });
  await service.load({
    organizations: [anOrganization(1)],
    users: [aUser(1), aUser(2)],
    memberships: [1, 2].map((userId) => ({
      organizationId: 1,
      userId,
      role: userId === 1 ? 'owner' : 'member',
      idpId: null,
    })),
  });
  const told = async () => (await service.core.readEvents({ organization })).events.map(({ body }) => body);
  return { ...service, wakes, told };
}

describe('An event of the end of a membership', () => {
  const ended = membershipEvents.ended as TellOf[];
  before(() => ended.push(planted));
  after(() => ended.pop());

  for (const [how, end, of = 'memory'] of [
    ['removeMember', ({ core }) => core.removeMember({ organization, userId: 2, by })],
    ['removeUser', ({ core }) => core.removeUser({ organization, uuid: aUser(2).uuid, by })],
    ['eraseUser', ({ core }) => core.eraseUser({ email: aUser(2).email, by })],
    ['eraseMember', ({ core }) => core.eraseMember({ organization, uuid: aUser(2).uuid, by })],
    [
      'an import',
      async ({ database }) => {
        const source = Readable.from([ndjson({ kind: 'user', id: 2, deleted: true })].map(Buffer.from));
        if (database !== null) await loadDataset({ database, source, rules, at: testNow });
      },
      'sqlite',
    ],
  ] satisfies readonly (readonly [
    string,
    (service: Awaited<ReturnType<typeof start>>) => Promise<unknown>,
    ('memory' | 'sqlite')?,
  ])[])
    test(`is stored by ${how}, with the change, and sent soon`, async () => {
      const service = await start(of);
      try {
        await end(service);
        deepEqual(await service.told(), ['Organization 1 2 member']);
        // The caller of an import wakes the dispatcher.
        deepEqual(service.wakes, of === 'sqlite' ? [] : [['Organization 1 2 member']]);
      } finally {
        await service.stop();
      }
    });
});

test('without such an event, the end of a membership wakes nobody', async () => {
  const { core, wakes, told } = await start('memory');
  await core.removeMember({ organization, userId: 2, by });
  await core.eraseUser({ email: aUser(1).email, force: true, by });
  deepEqual([wakes, await told()], [[], []]);
});

test('the event of a registration says whom it names', () => {
  const facts: MembershipFacts = {
    organization: { ...anOrganization(1), timeZone: null, accessKeyGeneration: 1, previousAccessKey: null },
    member: {
      ...{ organizationId: 1, user: aUser(7), uuid: testUuid(70), role: 'member', idpId: null },
      joinedAt: testNow,
    },
  };
  const { about, name } = userRegistered(facts, { id: testUuid(1), at: testNow });
  equal(name, eventName);
  deepEqual(about, { id: 7, uuid: testUuid(70), email: aUser(7).email });
});
