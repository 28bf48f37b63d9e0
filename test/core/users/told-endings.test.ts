import { deepEqual } from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NewEvent } from '@rollcall/core';
import { membershipEvents } from '@rollcall/core/adapters';
import { anOrganization, aUser } from '@rollcall/core/testing';
import { eventName } from '#core/testing/subscribe.js';
import { startTestService } from '../../support/test-service.js';

type TellOf = (typeof membershipEvents.ended)[number];

/** Tells of the end of a membership as no event does so far. */
const planted: TellOf = ({ organization, member }, { id, at }) => ({
  ...{ id, name: eventName, organizationId: organization.id, createdAt: at },
  body: `${organization.name} ${member.user.id} ${member.role}`,
});

const by = { who: { kind: 'command-line' }, from: null } as const;
const organization = { id: 1 };

async function start() {
  const wakes: string[][] = [];
  const wake = (events: readonly NewEvent[] = []) => void wakes.push(events.map(({ body }) => body));
  const service = await startTestService({ ports: { dispatcher: { wake } } });
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

  for (const [how, end] of [
    ['removeMember', ({ core }) => core.removeMember({ organization, userId: 2, by })],
    ['removeUser', ({ core }) => core.removeUser({ organization, uuid: aUser(2).uuid, by })],
    ['eraseUser', ({ core }) => core.eraseUser({ email: aUser(2).email, by })],
    ['eraseMember', ({ core }) => core.eraseMember({ organization, uuid: aUser(2).uuid, by })],
  ] satisfies readonly (readonly [
    string,
    (service: Awaited<ReturnType<typeof start>>) => Promise<unknown>,
  ])[])
    test(`is stored by ${how}, with the change, and sent soon`, async () => {
      const service = await start();
      ended.push(planted);
      try {
        await end(service);
        deepEqual(await service.told(), ['Organization 1 2 member']);
        deepEqual(service.wakes, [['Organization 1 2 member']]);
      } finally {
        ended.pop();
        await service.stop();
      }
    });
});

test('without such an event, the end of a membership wakes nobody', async () => {
  const { core, wakes, told } = await start();
  await core.removeMember({ organization, userId: 2, by });
  await core.eraseUser({ email: aUser(1).email, force: true, by });
  deepEqual([wakes, await told()], [[], []]);
});
