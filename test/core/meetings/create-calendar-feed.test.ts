import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCore } from '@rollcall/core';
import { links, meetingsOf, member, now, startWithMember } from '../../support/core/calendar-core.js';
import { refused, tokenOf } from '../../support/core/refused.js';

describe('createCalendarFeed', () => {
  test('shows the address once and stores only a hash of it', async () => {
    const { core, ports } = await startWithMember({});
    assert.equal(await core.findCalendarFeed(member), null);
    const { url, createdAt } = await core.createCalendarFeed(member);
    assert.deepEqual(createdAt, now);
    assert.match(url, /^https:\/\/service\.test\/calendar\/calendar-\d+$/);
    assert.deepEqual(await core.findCalendarFeed(member), { createdAt });
    const token = tokenOf(url);
    assert.equal(await ports.calendarFeeds.find(token), null);
    const content = await core.readCalendarFeed({ token });
    assert.deepEqual(
      [content.organization, await meetingsOf(content)],
      [{ id: 1, name: 'Organization 1' }, []],
    );
  });

  test('is for members only, and needs the setting links.calendar', async () => {
    const { core, ports } = await startWithMember({});
    await assert.rejects(
      core.createCalendarFeed({ organizationId: 2, userId: 1 }),
      refused('member-not-found'),
    );
    const { calendar, ...others } = links;
    const withoutCalendarLink = createCore(ports, { links: others });
    await assert.rejects(withoutCalendarLink.createCalendarFeed(member), /setting links\.calendar is needed/);
    assert.equal(await core.findCalendarFeed(member), null);
  });
});
