import { createCore, type Organization, Refusal } from '@rollcall/core';
import {
  aMeeting,
  anOrganization,
  aUser,
  type Dataset,
  type DatasetMeeting,
  memoryPorts,
} from '@rollcall/core/testing';
import { noon } from '#core/testing/noon.js';
import { refused } from './refused.js';

export const northwind: Organization = {
  id: 1,
  name: 'Northwind',
  eap: false,
  timeZone: null,
  accessKeyGeneration: 1,
  previousAccessKey: null,
};

/** User 1 has a seat in one, and waits for two; one of these has no waitlist. User 2 leads a meeting. */
export const threeMeetings: Dataset = {
  meetings: [
    aMeeting(1, { groupLeaderId: 2, waitList: true, endTime: new Date('2026-11-20T19:30:00.000Z') }),
    aMeeting(2, { startTime: new Date('2026-11-20T17:00:00.000Z') }),
    aMeeting(3, { waitList: false }),
  ],
  registrations: [{ meetingId: 2, userId: 1, registeredAt: noon }],
  waitingPlaces: [
    { meetingId: 1, userId: 1, status: 'waiting', createdAt: noon },
    { meetingId: 3, userId: 1, status: 'waiting', createdAt: noon },
  ],
};

/** A core in memory whose users 1 and 2 are members of organization 1, as `idp-1` and `idp-2`. */
export async function startWithMembers(dataset: Dataset) {
  const { ports, load } = memoryPorts();
  await load({ organizations: [anOrganization(1), anOrganization(2)], users: [aUser(1), aUser(2)] });
  await load({
    memberships: [1, 2].map((userId) => ({
      organizationId: 1,
      userId,
      role: 'member',
      idpId: `idp-${userId}`,
    })),
  });
  await load(dataset);
  const links = { invitation: () => '', login: () => '', defaultAvatar: 'https://service.test/avatar.svg' };
  return { core: createCore(ports, { serviceName: 'Acme', links }), ports, links };
}

export async function exportedText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += Buffer.from(chunk).toString();
  return text;
}

export function isInvalid(message: RegExp) {
  return (error: unknown) =>
    refused('invalid-request')(error) && error instanceof Refusal && message.test(error.message);
}

/** A core in memory with these meetings. */
export async function startWithMeetings(meetings: readonly DatasetMeeting[]) {
  const { ports, load } = memoryPorts();
  await load({ organizations: [anOrganization(1), anOrganization(2)], meetings });
  const links = { invitation: () => '', login: () => '', defaultAvatar: '' };
  return { core: createCore(ports, { links }), ports, links };
}
