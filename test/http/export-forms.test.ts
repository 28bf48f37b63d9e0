import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apiSuite } from '../support/http/api-suite.js';
import { exportOf, pastMeeting } from '../support/http/exported-meetings.js';
import { pathOf } from '../support/http/operations.js';
import type { Reply } from '../support/http/reply.js';
import type { TestOrganization } from '../support/http/service.js';

const types = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
  json: 'application/json; charset=utf-8',
};

apiSuite((service) => {
  const { holding } = exportOf(service);

  const threeMeetings = [
    pastMeeting('2026-10-01T10:00:00', { name: 'Sleep, "deep"\nand rest', price: 12.5, groupLeaderId: 0 }),
    pastMeeting('2026-10-02T10:00:00', { name: '=1+1', price: null }),
    pastMeeting('2026-10-03T10:00:00', { name: 'Trauer 漢字 😀', price: 3 }),
  ];
  const columns = 'column=name&column=price&column=start_time&column=group_leader_id';
  const csvHead = '\ufeff"Name","Price","Start Time","Group Leader"\r\n';
  const csvRows = (leader: number): readonly string[] => [
    `"Sleep, ""deep""\nand rest",12.5,2026-10-01T10:00:00.000Z,${leader}\r\n`,
    `"'=1+1",0,2026-10-02T10:00:00.000Z,\r\n`,
    `"Trauer 漢字 😀",3,2026-10-03T10:00:00.000Z,\r\n`,
  ];

  const accepting = ({ get }: TestOrganization, accept: string, query = columns): Promise<Reply> =>
    get(`/export_meetings?${query}`, { headers: { Accept: accept } });

  describe('CSV and NDJSON by the header Accept', () => {
    test('text/csv: labels, then one record of RFC 4180 for each meeting, with formulas made harmless', async () => {
      const organization = await holding(threeMeetings);
      const { status, headers, text } = await accepting(organization, 'text/csv');
      assert.deepEqual([status, headers['content-type']], [200, types.csv]);
      assert.equal(text, csvHead + csvRows(organization.id).join(''));
      assert.equal(headers.vary, 'Accept, Accept-Encoding');
    });

    test('application/x-ndjson: the objects of the JSON, one on each line', async () => {
      const organization = await holding(threeMeetings);
      const { status, headers, text } = await accepting(organization, 'application/x-ndjson');
      assert.deepEqual([status, headers['content-type']], [200, types.ndjson]);
      const { json } = await accepting(organization, 'application/json');
      const lines = text.split('\n');
      assert.equal(lines.pop(), '');
      assert.deepEqual(
        lines.map((line) => JSON.parse(line)),
        json.meetings,
      );
    });

    for (const [accept, form] of [
      ['', 'json'],
      ['*/*', 'json'],
      ['text/html, application/xhtml+xml, */*;q=0.8', 'json'],
      ['text/*', 'json'],
      ['application/json', 'json'],
      ['application/json, text/csv', 'json'],
      ['text/csv;q=0.5, application/json', 'json'],
      ['text/csv;q=0', 'json'],
      ['text/csv; q=0.1, application/json', 'json'],
      ['text/csv ;\tq=0.1, application/json', 'json'],
      ['text/csv; charset=utf-8; q=0.1, application/json', 'json'],
      ['text/csv; q=0', 'json'],
      ['text/csv; q=0, application/x-ndjson; q=0.1', 'ndjson'],
      ['text/csvx', 'json'],
      ['image/png', 'json'],
      [';;,', 'json'],
      ['TEXT/CSV', 'csv'],
      ['text/csv, */*;q=0.1', 'csv'],
      ['text/csv; charset=utf-8', 'csv'],
      ['application/json;q=0.9, text/csv', 'csv'],
      ['application/x-ndjson, text/csv;q=0.5', 'ndjson'],
    ] as const) {
      test(`Accept: ${accept} gets ${form}, by GET and by POST`, async () => {
        const organization = await holding(threeMeetings);
        const byGet = await accepting(organization, accept, 'column=name');
        const byPost = await organization.post(
          '/export_meetings',
          { column: ['name'] },
          { headers: { Accept: accept } },
        );
        for (const { headers } of [byGet, byPost]) assert.equal(headers['content-type'], types[form]);
        assert.equal(byPost.text, byGet.text);
      });
    }

    test('a page has its rows without metadata, its length, and a link to the next page; HEAD has the same head', async () => {
      const organization = await holding(threeMeetings);
      const query = `${columns}&page=1&per_page=2`;
      const { text, headers } = await accepting(organization, 'text/csv', query);
      assert.equal(text, csvHead + csvRows(organization.id).slice(0, 2).join(''));
      assert.equal(headers['content-length'], String(Buffer.byteLength(text)));
      assert.match(String(headers.link), /[?&]page=2&per_page=2>; rel="next"$/);
      const head = await service().client.send('HEAD', pathOf(organization.id, `/export_meetings?${query}`), {
        headers: { Authorization: `Bearer ${organization.token}`, Accept: 'text/csv' },
      });
      for (const name of ['content-type', 'content-length', 'link', 'vary'])
        assert.equal(head.headers[name], headers[name], name);

      const last = await accepting(organization, 'application/x-ndjson', `column=name&page=3&per_page=1`);
      assert.equal(last.text, '{"name":"Trauer 漢字 😀"}\n');
      assert.equal(last.headers.link, undefined);
    });

    test('without meetings CSV has its labels, and without columns every form is empty', async () => {
      const organization = await holding([]);
      assert.equal((await accepting(organization, 'text/csv')).text, csvHead);
      assert.equal((await accepting(organization, 'application/x-ndjson')).text, '');
      for (const accept of ['text/csv', 'application/x-ndjson'])
        assert.equal((await accepting(organization, accept, '')).text, '');
    });

    test('errors are JSON', async () => {
      const organization = await holding([]);
      const refused = await accepting(organization, 'text/csv', 'column=attendees');
      assert.deepEqual([refused.status, refused.headers['content-type']], [400, types.json]);
      const { status, headers } = await service().client.send(
        'GET',
        pathOf(organization.id, '/export_meetings?column=name'),
        { headers: { Accept: 'text/csv' } },
      );
      assert.deepEqual([status, headers['content-type']], [401, types.json]);
    });
  });
});
