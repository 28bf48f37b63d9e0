import assert from 'node:assert/strict';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import { aMeeting, anOrganization } from '@rollcall/core/testing';
import { at, type OpenedExport, spread, useExportSite } from '#test/support/page/export-site.js';
import { startPageSite } from '#test/support/page/site.js';

const { site, openExport, replaceExportRows } = useExportSite();

describe('The exported file', () => {
  const query =
    'column[]=name&column[]=start_time&column[]=price&column[]=group_leader_id&column[]=eap&reporting_days=all_upcoming';

  test('as JSON equals the answer of the API, byte for byte', async () => {
    const { client, page, own } = await openExport({ meetings: spread });
    const file = await client.open(`${page}/meetings.json?${query}`);
    assert.equal(file.status, 200);
    assert.equal(file.text, (await own.get(`/export_meetings?${query}`)).text);
    assert.match(file.text, /"name":"Tonight"/);
    assert.equal(file.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(
      file.headers.get('content-disposition'),
      'attachment; filename=northwind-wellness-meetings-upcoming.json',
    );
  });

  test('as CSV has a header with labels, and formulas become text', async () => {
    const { client, page } = await openExport({
      meetings: [
        aMeeting(1, {
          name: '=HYPERLINK("https://evil.example")',
          price: 12.5,
          ...at('2026-11-21T10:00:00.000Z'),
        }),
        aMeeting(2, { name: '@home, "quoted"', eap: true, ...at('2026-11-22T10:00:00.000Z') }),
      ],
    });
    const { status, text, headers } = await client.open(`${page}/meetings.csv?${query}`);
    assert.equal(status, 200);
    // fetch removes the byte order mark.
    assert.deepEqual(text.split('\r\n'), [
      '"Name","Start Time","Price","Group Leader","EAP Meeting"',
      '"\'=HYPERLINK(""https://evil.example"")",2026-11-21T10:00:00.000Z,12.5,,false',
      '"\'@home, ""quoted""",2026-11-22T10:00:00.000Z,0,,true',
      '',
    ]);
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.equal(
      headers.get('content-disposition'),
      'attachment; filename=northwind-wellness-meetings-upcoming.csv',
    );
  });

  test('is named after the organization and the range', async () => {
    const { client, page } = await openExport();
    const nameFor = async (range: string) => {
      const { headers } = await client.open(`${page}/meetings.csv?column[]=name&${range}`, {
        method: 'HEAD',
      });
      return /meetings-(.*)\.csv/.exec(headers.get('content-disposition') ?? '')?.[1];
    };
    const october = 'reporting_days=custom&start_time=2026-10-01T00:00&end_time=2026-10-31T00:00';
    const ranges = ['', 'reporting_days=last_month', 'reporting_days=everything', october];
    assert.deepEqual(await Promise.all(ranges.map(nameFor)), [
      ...['completed', 'last-month', 'everything', '2026-10-01-to-2026-10-31'],
    ]);
  });

  test('is never cached or rendered, and HEAD gives its headers without a body', async () => {
    const { client, page } = await openExport({ meetings: spread });
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, text } = await client.open(`${page}/meetings.csv?${query}`, { method });
      assert.equal(status, 200);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'/);
      assert.ok(headers.get('x-request-id'));
      assert.deepEqual(headers.getSetCookie(), []);
      assert.equal(text === '', method === 'HEAD');
    }
  });

  test('is not found under any other name, and not sent by POST', async () => {
    const { client, page } = await openExport({ meetings: spread });
    for (const name of ['meetings.xml', 'meetings', 'other.csv', 'meetings.csv/x'])
      assert.equal((await client.open(`${page}/${name}`)).status, 404, name);
    for (const path of [page, `${page}/meetings.csv`]) {
      const { status, headers } = await client.send({ path, fields: {} });
      assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD']);
    }
  });

  const startDownload = ({ page, client }: OpenedExport): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const Cookie = [...client.cookies()].map(([name, value]) => `${name}=${value}`).join('; ');
      httpRequest({
        port: site().port,
        path: `${page}/meetings.csv?column[]=name`,
        headers: { Cookie, Accept: 'text/html' },
      })
        .on('response', resolve)
        .on('error', reject)
        .end();
    });

  test('is cut off if reading rows fails, and never looks complete', async (t) => {
    const all = await openExport();
    const before = site().reports.length;
    replaceExportRows(t, async function* () {
      yield Buffer.from('"row"\r\n');
      await pause(20);
      throw new Error('gone');
    });
    const response = await startDownload(all);
    let text = '';
    await new Promise<void>((resolve) =>
      response
        .on('data', (chunk) => {
          text += chunk;
        })
        .on('error', () => undefined)
        .on('close', resolve),
    );
    assert.deepEqual([text, response.complete], ['\ufeff"Name"\r\n"row"\r\n', false]);
    assert.equal(site().reports.length, before + 1);
  });

  for (const [error, status] of [
    [new Unavailable('away'), 503],
    [new Error('gone'), 500],
  ] as const) {
    test(`is replaced by an error page if no row can be read (${status})`, async (t) => {
      const { client, page } = await openExport();
      t.after(site().replace('meetings', { export: () => Promise.reject(error) }));
      for (const path of [page, `${page}/meetings.csv`]) {
        const answer = await client.open(path);
        assert.equal(answer.status, status, path);
        assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
        assert.equal(answer.headers.get('content-disposition'), null);
      }
    });
  }
});

describe('Who may see the export', () => {
  const paths = (id: number) =>
    ['', '/meetings.json', '/meetings.csv'].map((file) => `/organizations/${id}/export${file}`);

  test('opening and previewing change nothing; a download is recorded in the audit trail, and nothing else', async (t) => {
    const other = await startPageSite(t);
    await other.load({ organizations: [anOrganization(1)], meetings: spread });
    await other.addUser({ id: 100, organizations: [1], role: 'admin' });
    const client = await other.signedIn(100);
    await client.open('/organizations/1/meetings');
    const changes = () => other.changes.filter((change) => !change.startsWith('sessions.'));
    const before = changes();
    const open = async (path: string, columns: string, method = 'GET') => {
      const { status, headers } = await client.open(`${path}?${columns}reporting_days=everything`, {
        method,
      });
      assert.deepEqual(headers.getSetCookie(), []);
      return status;
    };
    const [page = '', ...files] = paths(1);
    assert.equal(await open(page, 'column[]=name&'), 200);
    for (const file of files) {
      assert.equal(await open(file, 'column[]=name&', 'HEAD'), 200);
      assert.notEqual(await open(file, 'column[]=unknown&'), 200);
    }
    assert.deepEqual(changes(), before);
    for (const file of files) assert.equal(await open(file, 'column[]=name&'), 200);
    assert.deepEqual(changes().slice(before.length), ['auditTrail.record', 'auditTrail.record']);
    const { items } = await other.core.listActivity({ organization: { id: 1 } });
    assert.deepEqual(
      items.map(({ action, subject, user, actor }) => [action, subject, user?.id, actor.from]).sort(),
      [
        ['meetings-exported', 'csv', 100, '127.0.0.1'],
        ['meetings-exported', 'json', 100, '127.0.0.1'],
      ],
    );
  });

  test('a download that fails before its first row is not recorded, and one without meetings is', async () => {
    const { client, page, own } = await openExport();
    const recorded = async () =>
      (await site().core.listActivity({ organization: own })).items.filter(
        ({ action }) => action === 'meetings-exported',
      ).length;
    const next = () => Promise.reject(new Unavailable('away'));
    const chunks = { [Symbol.asyncIterator]: () => ({ next }) };
    const restore = site().replace('meetings', { export: async () => ({ total: null, chunks }) });
    assert.equal((await client.open(`${page}/meetings.json?column[]=name`)).status, 503);
    restore();
    assert.equal(await recorded(), 0);
    assert.equal((await client.open(`${page}/meetings.json?column[]=name`)).status, 200);
    assert.equal(await recorded(), 1);
  });
});
