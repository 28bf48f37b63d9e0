import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apiSuite } from '../support/http/api-suite.js';
import { exportOf, type Parameters, pastMeeting } from '../support/http/exported-meetings.js';
import type { Json, Reply } from '../support/http/reply.js';
import { publicUrl } from '../support/test-service.js';

apiSuite((service) => {
  const { holding, exported } = exportOf(service);

  describe('Pages of the export (4.6 rules 4 and 5)', () => {
    const fiveMeetings = ['03', '01', '02', '02', '04'].map((day, index) =>
      pastMeeting(`2026-10-${day}T10:00:00`, { name: `${day} ${index}` }),
    );
    const inOrder = ['01 1', '02 2', '02 3', '03 0', '04 4'];

    test('without page and per_page: everything by start time and id, and no metadata', async () => {
      const { json } = await exported(await holding(fiveMeetings), { column: ['name'] });
      assert.deepEqual(Object.keys(json), ['success', 'meetings']);
      assert.deepEqual(
        json.meetings.map((meeting: Json) => meeting.name),
        inOrder,
      );
    });

    test('with page, per_page or both: metadata before the meetings', async () => {
      const organization = await holding(fiveMeetings);
      const page = async (parameters: Parameters) => {
        const { json } = await exported(organization, { column: ['name'], ...parameters });
        assert.deepEqual(Object.keys(json), ['success', 'metadata', 'meetings']);
        const { page, per_page, total_pages, total_count } = json.metadata;
        assert.deepEqual(Object.keys(json.metadata), ['page', 'per_page', 'total_pages', 'total_count']);
        return [page, per_page, total_pages, total_count, json.meetings.map((meeting: Json) => meeting.name)];
      };
      assert.deepEqual(await page({ page: 1 }), [1, 100, 1, 5, inOrder]);
      assert.deepEqual(await page({ per_page: 2 }), [1, 2, 3, 5, inOrder.slice(0, 2)]);
      assert.deepEqual(await page({ page: 2, per_page: 2 }), [2, 2, 3, 5, inOrder.slice(2, 4)]);
      assert.deepEqual(await page({ page: 3, per_page: 2 }), [3, 2, 3, 5, inOrder.slice(4)]);
      assert.deepEqual(await page({ page: 9, per_page: 2 }), [9, 2, 3, 5, []]);
    });

    test('nothing matches: no pages (decision 8)', async () => {
      const { json } = await exported(await holding([]), { column: ['name'], page: 1 });
      assert.deepEqual(json, {
        success: true,
        metadata: { page: 1, per_page: 100, total_pages: 0, total_count: 0 },
        meetings: [],
      });
    });

    test('anything but a number means the default, and fractions are cut off (decision 8)', async () => {
      const { get, post } = await holding(fiveMeetings);
      const numbersOf = ({ status, json }: Reply) => [status, json.metadata.page, json.metadata.per_page];
      for (const query of ['page=2&page=3', 'per_page[]=5', 'page=abc', 'per_page=%zz'])
        assert.deepEqual(numbersOf(await get(`/export_meetings?column=name&${query}`)), [200, 1, 100], query);
      for (const [value, ...numbers] of [
        [1.9, 1, 1],
        ['abc', 1, 100],
        [true, 1, 100],
        [[1], 1, 100],
      ] as const) {
        const body = { column: ['name'], page: value, per_page: value };
        assert.deepEqual(numbersOf(await post('/export_meetings', body)), [200, ...numbers]);
      }
    });

    test('an empty page counts as left out', async () => {
      const { get, post } = await holding(fiveMeetings);
      assert.equal((await get('/export_meetings?column=name&page=&per_page=')).json.metadata, undefined);
      const { json } = await post('/export_meetings', { column: ['name'], page: '', per_page: null });
      assert.equal(json.metadata, undefined);
    });
  });

  describe('Isolation, links and HEAD', () => {
    test('a page links to the next one; the last page and an export without pages have no link', async () => {
      const organization = await holding(
        ['a&b', 'c', 'd'].map((name, hour) => pastMeeting(`2026-10-01T1${hour}:00:00`, { name })),
      );
      const linkOf = async (query: string): Promise<string | undefined> =>
        (await organization.get(`/export_meetings?${query}`)).headers.link as string | undefined;
      const address = `${publicUrl}/api/v2/organizations/${organization.id}/export_meetings`;
      assert.equal(
        await linkOf('column=name&column[]=topic&per_page=1'),
        `<${address}?column=name&column%5B%5D=topic&per_page=1&page=2>; rel="next"`,
      );
      const second = await linkOf('page=1&per_page=2&column=name');
      assert.equal(second, `<${address}?page=2&per_page=2&column=name>; rel="next"`);
      const followed = await organization.get(second?.match(/\/export_meetings[^>]*/)?.[0] ?? '');
      assert.deepEqual(JSON.parse(followed.text).meetings, [{ name: 'd' }]);
      assert.equal(followed.headers.link, undefined);
      assert.equal(await linkOf('column=name'), undefined);
      assert.equal(await linkOf('column=name&page=9'), undefined);
      const posted = await organization.post('/export_meetings', { column: ['name'], page: 1, per_page: 1 });
      assert.equal(posted.headers.link, undefined);
    });

    test('HEAD answers as GET does, without the body', async () => {
      const { id, token } = await holding([pastMeeting('2026-10-01T10:00:00')]);
      const headers = { Authorization: `Bearer ${token}` };
      const head = (query: string) =>
        service().client.send('HEAD', `/api/v2/organizations/${id}/export_meetings?${query}`, { headers });
      assert.equal((await head('column=name')).status, 200);
      const { status, headers: headHeaders } = await head('column=name&page=1');
      const whole = await service().client.send(
        'GET',
        `/api/v2/organizations/${id}/export_meetings?column=name&page=1`,
        { headers },
      );
      assert.deepEqual([status, headHeaders['content-length']], [200, String(Buffer.byteLength(whole.text))]);
      assert.equal((await head('column=unknown')).status, 400);
    });
  });
});
