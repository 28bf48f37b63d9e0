import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCore, Refusal } from '@rollcall/core';
import { aMeeting, aUser, type Dataset } from '@rollcall/core/testing';
import { northwind, startWithMembers } from '../../support/core/meetings-core.js';
import { refused } from '../../support/core/refused.js';

const now = new Date('2026-11-20T12:00:00.000Z');

describe('listUserMeetings', () => {
  const dataset: Dataset = {
    meetings: [aMeeting(1, { groupLeaderId: 2, waitList: true }), aMeeting(2), aMeeting(3)],
    registrations: [2, 3].map((meetingId) => ({ meetingId, userId: 1, registeredAt: now })),
    waitingPlaces: [{ meetingId: 1, userId: 1, status: 'waiting', createdAt: now }],
  };

  test('answers every page as listUpcomingMeetings does, by UUID', async () => {
    const { core } = await startWithMembers(dataset);
    for (const [page, items] of [
      [undefined, undefined],
      [1, 2],
      [2, 2],
      [9, 1],
      ['0', '1000'],
    ] as const) {
      const request = { organization: northwind, page, items };
      const expected = await core.listUpcomingMeetings({ ...request, idpId: 'idp-1' });
      assert.equal(expected.totalItems, 3);
      const { asOf, ...found } = await core.listUserMeetings({ ...request, uuid: aUser(1).uuid });
      assert.deepEqual(found, expected);
      assert.ok(asOf instanceof Date);
    }
  });

  test('leaves out a meeting that is deleted while the list is read', async () => {
    const { ports, links } = await startWithMembers(dataset);
    const details: typeof ports.meetings.details = async (request) =>
      (await ports.meetings.details(request)).filter(({ id }) => id !== 2);
    const core = createCore({ ...ports, meetings: { ...ports.meetings, details } }, { links });
    const { meetings } = await core.listUserMeetings({ organization: northwind, uuid: aUser(1).uuid });
    assert.deepEqual(
      meetings.map(({ id }) => id),
      [1, 3],
    );
  });

  test('says of an invited person that the invitation is pending, in any case of the UUID', async () => {
    const { ports, links } = await startWithMembers(dataset);
    const ids = { uuid: () => ports.ids.uuid().replace(/^0+/, 'abcdef01') };
    const core = createCore({ ...ports, ids }, { links });
    const { uuid } = await core.inviteUser({
      organization: northwind,
      email: 'new@example.test',
      firstName: 'New',
      lastName: 'Person',
    });
    const attempt = (name: string, organization = northwind) =>
      core.listUserMeetings({ organization, uuid: name });
    const isPending = refused('invitation-pending');
    await assert.rejects(attempt(uuid), isPending);
    await assert.rejects(attempt(uuid.toUpperCase()), isPending);
    await assert.rejects(attempt(uuid, { ...northwind, id: 2 }), refused('member-not-found'));
  });

  test('refuses an unknown UUID, with the name of the service in the message', async () => {
    const { core } = await startWithMembers(dataset);
    for (const uuid of ['nobody', aUser(99).uuid, 'idp-1']) {
      await assert.rejects(
        core.listUserMeetings({ organization: northwind, uuid }),
        (error) =>
          error instanceof Refusal &&
          error.code === 'member-not-found' &&
          error.message === 'User not found on Acme',
      );
    }
  });
});
