import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCore, type ReadMeetingChanges, Refusal } from '@rollcall/core';
import { exportColumns, maxReadMeetingChanges } from '@rollcall/core/rules';
import { aMeeting, anOrganization, aUser, memoryPorts } from '@rollcall/core/testing';

const links = { invitation: () => '', login: () => '', defaultAvatar: '' };

/** Organization 1 with this many meetings, and organization 2 with one. */
async function start(meetings: number) {
  const { ports, load } = memoryPorts();
  await load({
    organizations: [anOrganization(1), anOrganization(2)],
    users: [aUser(1)],
    changedMeetings: [
      ...Array.from({ length: meetings }, (_, index) => aMeeting(index + 1)),
      aMeeting(9_999, { organizationId: 2 }),
    ],
  });
  const core = createCore(ports, { links });
  const read = async (request: Omit<ReadMeetingChanges, 'organization'> = {}) => {
    const { changes, ...rest } = await core.readMeetingChanges({ organization: { id: 1 }, ...request });
    return { ids: changes.map(({ id, row }) => (row === null ? -id : id)), changes, ...rest };
  };
  return { core, load, read };
}

function isRefused(code: string, message?: RegExp) {
  return (error: unknown) =>
    error instanceof Refusal && error.code === code && (message?.test(error.message) ?? true);
}

const cursor = (...values: readonly unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url');

describe('readMeetingChanges', () => {
  test('reads 50 changes without a limit, and otherwise at least one and at most 1000', async () => {
    const { read } = await start(1100);
    const count = async (limit?: number) => (await read({ limit })).ids.length;
    assert.deepEqual([await count(), await count(0), await count(54), await count(9999)], [50, 1, 54, 1000]);
    assert.equal(maxReadMeetingChanges, 1000);
  });

  test('has every column without a choice, and otherwise the chosen ones', async () => {
    const { read } = await start(1);
    const columnsOf = async (columns?: readonly string[]) => {
      const { changes } = await read({ columns });
      return Object.keys(JSON.parse(changes[0]?.row ?? ''));
    };
    const all = exportColumns.map(({ as }) => as);
    assert.deepEqual([await columnsOf(), await columnsOf([])], [all, all]);
    assert.deepEqual(await columnsOf(['topic', 'group_leader_id', 'topic']), ['topic', 'group_leader']);
    await assert.rejects(read({ columns: ['nme'] }), isRefused('invalid-request', /"nme" is not one of/));
  });

  test('continues at next, also when there was nothing new', async () => {
    const { load, read } = await start(3);
    const first = await read({ limit: 2 });
    assert.deepEqual([first.ids, first.hasMore], [[1, 2], true]);
    const second = await read({ after: first.next });
    assert.deepEqual([second.ids, second.hasMore], [[3], false]);
    assert.equal((await read({ after: second.next })).next, second.next);
    await load({ deletedMeetings: [2], changedMeetings: [aMeeting(1, { topic: 'Sleep' })] });
    assert.deepEqual((await read({ after: second.next })).ids, [1, -2]);
  });

  test('refuses a cursor of another organization, and one that it did not make', async () => {
    const { core, read } = await start(1);
    const { next } = await core.readMeetingChanges({ organization: { id: 2 } });
    for (const after of [
      next,
      '',
      'MQ',
      cursor('events', 1, 1, 1, 1),
      cursor('meeting-changes', 1),
      cursor('meeting-changes', 1, 1, 1),
      cursor('meeting-changes', 1, -1, 1, 1),
      cursor('meeting-changes', 1, 0.5, 1, 1),
      cursor('meeting-changes', 1, '1', 1, 1),
      cursor('meeting-changes', 1, 253_402_300_800_000, 1, 1),
      cursor('meeting-changes', 1, 1, 0, 1),
      cursor('meeting-changes', 1, 1, 2 ** 53, 1),
      cursor('meeting-changes', 1, 1, 1, null),
      cursor('meeting-changes', 1, 1, 1, -1),
      cursor('meeting-changes', 1, 1, 1, 1, -1),
      cursor('meeting-changes', 1, 1, 1, 1, '1'),
      cursor('meeting-changes', 1, 1, 1, 1, 1, 1),
    ])
      await assert.rejects(read({ after }), isRefused('invalid-request'), after);
  });

  test('refuses a cursor that is later than every change, and tells what to do', async () => {
    const { read } = await start(2);
    const last = Date.parse('9999-12-31T23:59:59.999Z');
    for (const after of [cursor('meeting-changes', 1, last, 1, 0), cursor('meeting-changes', 1, 0, 1, last)])
      await assert.rejects(read({ after }), isRefused('cursor-expired', /start again without it/));
    assert.deepEqual((await read({ after: cursor('meeting-changes', 1, 0, 1, 0) })).ids, [1, 2]);
  });
});
