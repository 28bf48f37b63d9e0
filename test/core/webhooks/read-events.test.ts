import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCore, type ReadEvents, Refusal } from '@rollcall/core';
import { maxReadEvents } from '@rollcall/core/rules';
import { anOrganization, memoryPorts } from '@rollcall/core/testing';
import { eventName } from '#core/testing/subscribe.js';

const links = { invitation: () => '', login: () => '', defaultAvatar: '' };
const organization = { id: 1 };

/** Organization 1 with this many registrations, and organization 2 with one. */
async function start(registrations: number) {
  const { ports, load } = memoryPorts();
  await load({ organizations: [anOrganization(1), anOrganization(2)] });
  const core = createCore(ports, { links });
  const register = (organizationId: number, name: string) =>
    core.registerUser({ organizationId, email: `${name}@example.test`, firstName: name, lastName: 'K' });
  for (let number = 1; number <= registrations; number += 1) await register(1, `n${number}`);
  await register(2, 'other');
  const read = async (request: Omit<ReadEvents, 'organization'> = {}) => {
    const { events, ...rest } = await core.readEvents({ organization, ...request });
    return { names: events.map(({ body }) => JSON.parse(body).user.first_name as string), ...rest };
  };
  return { core, register, read };
}

function isRefused(code: string) {
  return (error: unknown) => error instanceof Refusal && error.code === code;
}

const cursor = (...values: readonly unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url');

describe('readEvents', () => {
  test('reads 50 events without a limit, and otherwise at least one and at most 1000', async () => {
    const { read } = await start(55);
    const count = async (limit?: number) => (await read({ limit })).names.length;
    assert.deepEqual([await count(), await count(0), await count(54), await count(9999)], [50, 1, 54, 55]);
    assert.equal(maxReadEvents, 1000);
  });

  test('continues at next in both orders, also when there was nothing new', async () => {
    const { read, register } = await start(3);
    const first = await read({ limit: 2 });
    assert.deepEqual([first.names, first.hasMore], [['n1', 'n2'], true]);
    const second = await read({ after: first.next });
    assert.deepEqual([second.names, second.hasMore], [['n3'], false]);
    assert.equal((await read({ after: second.next })).next, second.next);
    assert.deepEqual((await read({ after: second.next, order: 'desc' })).names, ['n2', 'n1']);
    await register(1, 'n4');
    assert.deepEqual((await read({ after: second.next })).names, ['n4']);
    assert.deepEqual((await read({ order: 'desc', limit: 1, event: eventName })).names, ['n4']);
  });

  test('refuses a cursor of another organization, and one that it did not make', async () => {
    const { core, read } = await start(1);
    const { next } = await core.readEvents({ organization: { id: 2 } });
    const id = '0b1c2d3e-4f50-4a61-8b72-9c83ad94be05';
    for (const after of [
      next,
      '',
      'MQ',
      cursor('people', 1, 1),
      cursor('events'),
      cursor('events', 1),
      cursor('events', 1, -1),
      cursor('events', 1, 0.5),
      cursor('events', 1, 2 ** 53),
      cursor('events', 1, '1'),
      cursor('events', 1, 1, 5),
      cursor('events', 1, 1, 'id'),
      cursor('events', 1, 1, id.toUpperCase()),
      cursor('events', 1, 1, id, 1),
    ])
      await assert.rejects(read({ after }), isRefused('invalid-request'), after);
  });

  test('refuses a cursor to an event that was lost in a restored backup, if another one has its place', async () => {
    const { next } = await (await start(1)).read();
    const { read, register } = await start(0);
    await register(1, 'later');
    await assert.rejects(read({ after: next }), isRefused('cursor-expired'));
  });

  test('refuses a cursor to an event that the feed does not have, and tells where to continue', async () => {
    const { read } = await start(2);
    const lost = cursor('events', 1, 2, '0b1c2d3e-4f50-4a61-8b72-9c83ad94be05');
    const error = await read({ after: lost }).catch((error: unknown) => error);
    assert.ok(isRefused('cursor-expired')(error));
    const { oldest } = error as { readonly oldest: string };
    assert.deepEqual((await read({ after: oldest })).names, ['n1', 'n2']);
  });
});
