import { type CalendarFeedContent, type CalendarMeeting, createCore } from '@rollcall/core';
import { anOrganization, aUser, type Dataset, memoryPorts } from '@rollcall/core/testing';
import { refused } from './refused.js';

export const now = new Date('2026-11-20T12:00:00.000Z');
export const member = { organizationId: 1, userId: 1 };
export const links = {
  invitation: () => '',
  login: () => '',
  calendar: (token: { reveal(): string }) => `https://service.test/calendar/${token.reveal()}`,
  defaultAvatar: '',
};

/** A core in memory whose user 1 is a member of organization 1. */
export async function startWithMember(dataset: Dataset) {
  const { ports, load, clock } = memoryPorts();
  await load({
    organizations: [anOrganization(1), anOrganization(2)],
    users: [aUser(1), aUser(2)],
    memberships: [{ organizationId: 1, userId: 1, role: 'member', idpId: null }],
  });
  await load(dataset);
  return { core: createCore(ports, { links }), ports, clock };
}

export const isUnknownFeed = refused('calendar-feed-unknown');

/** All meetings of a feed. */
export async function meetingsOf({
  meetings,
}: Pick<CalendarFeedContent, 'meetings'>): Promise<CalendarMeeting[]> {
  const all: CalendarMeeting[] = [];
  for await (const part of meetings()) all.push(...part);
  return all;
}
