import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apiSuite } from '../support/http/api-suite.js';
import { upcomingMeetingsOf } from '../support/http/upcoming-meetings.js';
import { publicUrl } from '../support/test-service.js';

apiSuite((service) => {
  const { member, list, indexes } = upcomingMeetingsOf(service);

  describe('Pages of upcoming meetings (4.4)', () => {
    test('pages from 1, and a page past the end is empty and keeps its totals', async () => {
      const organization = await member({ meetings: Array(5).fill({}), registered: [0, 1, 2, 3, 4] });
      const page = async (query: string) => {
        const json = await list(organization, query);
        return [
          json.current_page,
          json.items,
          json.total_items,
          json.total_pages,
          indexes(organization, json),
        ];
      };
      assert.deepEqual(await page('?page=1&items=2'), [1, 2, 5, 3, [0, 1]]);
      assert.deepEqual(await page('?page=3&items=2'), [3, 2, 5, 3, [4]]);
      assert.deepEqual(await page('?page=9&items=2'), [9, 2, 5, 3, []]);
    });

    test('anything but one whole number means the default (decision 8)', async () => {
      const organization = await member({ meetings: [{}], registered: [0] });
      for (const query of [
        '',
        'page=&items=',
        'page=2&page=3&items=4&items=5',
        'page[]=2&items[a]=5',
        'page=%zz',
      ]) {
        const { current_page, items } = await list(organization, `?${query}`);
        assert.deepEqual([current_page, items], [1, 10], query);
      }
    });

    test('nothing upcoming: no pages and no items (decision 8)', async () => {
      const organization = await member({ meetings: [] });
      assert.deepEqual(await list(organization), {
        current_page: 1,
        items: 10,
        total_items: 0,
        total_pages: 0,
        meetings: [],
      });
    });

    test('a page links to the next one; the last page has no link', async () => {
      const { id, get } = await member({ meetings: [{}, {}], registered: [0, 1] });
      const path = '/members/idp-0/upcoming_meetings';
      const { headers } = await get(`${path}?items=1`);
      const next = `${publicUrl}/api/v2/organizations/${id}${path}?items=1&page=2`;
      assert.equal(headers.link, `<${next}>; rel="next"`);
      assert.equal((await get(`${path}?items=1&page=2`)).headers.link, undefined);
    });
  });
});
