import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Dataset } from '@rollcall/core/testing';
import { copiedText, follow, type PageClient } from '#test/support/page/client.js';
import { sampleMeetings } from '#test/support/page/samples.js';
import { type PageSite, startPageSite } from '#test/support/page/site.js';
import type { DatabaseKind } from '#test/support/storage.js';

export const meetingsPath = '/organizations/1/meetings';

export const calendarPath = '/organizations/1/calendar';

/** User 100 is Dana, who has the sample meetings. User 101 is a member of organizations 1 and 2 and has no meetings. */
export async function startCalendarSite(
  context: TestContext,
  {
    dataset = {},
    ...options
  }: { readonly database?: DatabaseKind; readonly publicUrl?: string; readonly dataset?: Dataset } = {},
) {
  const site = await startPageSite(context, options);
  await site.load({ organizations: sampleMeetings.organizations ?? [] });
  await site.addUser({ id: 100, organizations: [1] });
  await site.addUser({ id: 101, organizations: [1, 2] });
  const leaders = (sampleMeetings.users ?? []).filter(({ id }) => id >= 200);
  await site.load({ ...sampleMeetings, users: leaders, memberships: [] });
  await site.load(dataset);
  return { site, dana: await site.signedIn(100) };
}

/** Sends the form of the page, and returns the path of the new feed. */
export async function createFeed(client: PageClient, page = calendarPath): Promise<string> {
  const answer = await follow(client, await client.fillIn(page, {}, calendarPath));
  const url = copiedText(answer.text, 'calendar-url');
  return new URL(url ?? assert.fail('the page shows no address')).pathname;
}

export const asProgram = { headers: { Accept: 'text/calendar' } };

/** Whether the path returns a calendar to a program without cookies. */
export async function isFeed({ visitor }: PageSite, path: string): Promise<boolean> {
  const { status } = await visitor().open(path, asProgram);
  assert.ok(status === 200 || status === 404, String(status));
  return status === 200;
}
