import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ExportFormat } from '@rollcall/core';
import { aMeeting } from '@rollcall/core/testing';
import {
  exportedText,
  isInvalid,
  northwind,
  startWithMeetings,
  startWithMembers,
} from '../../support/core/meetings-core.js';

describe('exportMeetings', () => {
  test('refuses an unknown column by name, exports nothing without columns, and ignores duplicates', async () => {
    const { core } = await startWithMembers({ meetings: [aMeeting(1, { status: 'complete' })] });
    await assert.rejects(
      core.exportMeetings({ organization: northwind, columns: ['name', 'password'] }),
      isInvalid(/^columns: "password" is not one of name, meeting_type, start_time/),
    );
    const none = await core.exportMeetings({ organization: northwind, columns: [], page: 1 });
    assert.deepEqual([none.metadata, await exportedText(none.chunks)], [null, '']);
    const twice = await core.exportMeetings({ organization: northwind, columns: ['name', 'status', 'name'] });
    assert.equal(await exportedText(twice.chunks), '{"name":"Meeting 1","status":"complete"}');
  });

  test('page or per_page enables pagination, with integer metadata', async () => {
    const meetings = Array.from({ length: 5 }, (_, index) => aMeeting(index + 1, { status: 'complete' }));
    const { core } = await startWithMembers({ meetings });
    const page = await core.exportMeetings({
      organization: northwind,
      columns: ['name'],
      page: '2',
      perPage: '2',
    });
    assert.deepEqual(page.metadata, { page: 2, perPage: 2, totalPages: 3, totalCount: 5 });
    assert.equal(await exportedText(page.chunks), '{"name":"Meeting 3"},{"name":"Meeting 4"}');
    const byDefault = await core.exportMeetings({ organization: northwind, columns: ['name'], page: 'x' });
    assert.deepEqual(byDefault.metadata, { page: 1, perPage: 100, totalPages: 1, totalCount: 5 });
    const clamped = await core.exportMeetings({ organization: northwind, columns: ['name'], perPage: 500 });
    assert.equal(clamped.metadata?.perPage, 100);
  });
});

describe('exportMeetings in a form', () => {
  const request = { organization: northwind, columns: ['name', 'max_attendees', 'group_leader_id'] };
  const meetings = [
    aMeeting(1, { name: '=SUM(1)', status: 'complete' }),
    aMeeting(2, { name: 'É, "x"', status: 'complete' }),
  ];

  test('csv starts with a byte order mark and the labels', async () => {
    const { core } = await startWithMeetings(meetings);
    const { chunks, metadata } = await core.exportMeetings({ ...request, form: 'csv' });
    assert.equal(metadata, null);
    assert.equal(
      await exportedText(chunks),
      '\ufeff"Name","Max Registrants","Group Leader"\r\n"\'=SUM(1)",12,\r\n"É, ""x""",12,\r\n',
    );
  });

  test('csv without meetings is only the header, and without columns it is empty', async () => {
    const { core } = await startWithMeetings([]);
    const all = async (columns: readonly string[]) =>
      exportedText((await core.exportMeetings({ organization: northwind, columns, form: 'csv' })).chunks);
    assert.equal(await all(['eap']), '\ufeff"EAP Meeting"\r\n');
    assert.equal(await all([]), '');
  });

  test('ndjson has no line separators in its texts, and json has them as they are', async () => {
    const { core } = await startWithMembers({
      meetings: [aMeeting(1, { name: 'a\u2028b', status: 'complete' })],
    });
    const all = async (form: ExportFormat) =>
      exportedText((await core.exportMeetings({ organization: northwind, columns: ['name'], form })).chunks);
    assert.equal(await all('ndjson'), '{"name":"a\\u2028b"}\n');
    assert.equal(await all('json'), '{"name":"a\u2028b"}');
  });

  test('ndjson and json have the wire keys', async () => {
    const { core } = await startWithMeetings(meetings.slice(1));
    const all = async (form: ExportFormat | undefined) =>
      exportedText((await core.exportMeetings({ ...request, form })).chunks);
    const row = '{"name":"É, \\"x\\"","max_attendees":12,"group_leader":null}';
    assert.equal(await all('ndjson'), `${row}\n`);
    assert.equal(await all('json'), row);
    assert.equal(await all(undefined), row);
  });
});
