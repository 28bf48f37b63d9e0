import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCore, type ExportForm, type Organization, Refusal } from '@rollcall/core';
import { aMeeting, anOrganization, type DatasetMeeting, memoryPorts } from '@rollcall/core/testing';

const organization: Organization = {
  id: 1,
  name: 'One',
  eap: false,
  timeZone: null,
  accessKeyGeneration: 0,
};

describe('exportMeetings in a form', () => {
  const request = { organization, columns: ['name', 'max_attendees', 'group_leader_id'] };
  const meetings = [
    aMeeting(1, { name: '=SUM(1)', status: 'complete' }),
    aMeeting(2, { name: 'É, "x"', status: 'complete' }),
  ];

  test('csv begins with a byte order mark and the labels', async () => {
    const { core } = await started(meetings);
    const { chunks, metadata } = await core.exportMeetings({ ...request, form: 'csv' });
    assert.equal(metadata, null);
    assert.equal(
      await textOf(chunks),
      '\ufeff"Name","Max Registrants","Group Leader"\r\n"\'=SUM(1)",12,\r\n"É, ""x""",12,\r\n',
    );
  });

  test('csv of no meetings is the header, and of no columns nothing', async () => {
    const { core } = await started([]);
    const all = async (columns: readonly string[]) =>
      textOf((await core.exportMeetings({ organization, columns, form: 'csv' })).chunks);
    assert.equal(await all(['eap']), '\ufeff"EAP Meeting"\r\n');
    assert.equal(await all([]), '');
  });

  test('ndjson and json have the wire keys', async () => {
    const { core } = await started(meetings.slice(1));
    const all = async (form: ExportForm | undefined) =>
      textOf((await core.exportMeetings({ ...request, form })).chunks);
    const row = '{"name":"É, \\"x\\"","max_attendees":12,"group_leader":null}';
    assert.equal(await all('ndjson'), `${row}\n`);
    assert.equal(await all('json'), row);
    assert.equal(await all(undefined), row);
  });
});

describe('previewExport', () => {
  test('gives the first ten rows by column and the count of all', async () => {
    const meetings = Array.from({ length: 23 }, (_, index) =>
      aMeeting(index + 1, {
        name: `😀 ${index}`,
        status: 'complete',
        startTime: new Date(Date.UTC(2026, 0, index + 1)),
      }),
    );
    const { core } = await started([...meetings, aMeeting(50), aMeeting(51, { organizationId: 2 })]);
    const preview = await core.previewExport({
      organization,
      columns: ['price', 'name', 'group_leader_id', 'eap'],
    });
    assert.equal(preview.totalCount, 23);
    assert.deepEqual(
      preview.columns.map(({ label }) => label),
      ['Price', 'Name', 'Group Leader', 'EAP Meeting'],
    );
    assert.deepEqual(
      preview.rows,
      Array.from({ length: 10 }, (_, index) => [0, `😀 ${index}`, null, false]),
    );
  });

  test('follows the range, and refuses what the export refuses', async () => {
    const { core } = await started([aMeeting(1), aMeeting(2, { status: 'complete' })]);
    const columns = ['name'];
    const upcoming = await core.previewExport({ organization, columns, reportingDays: 'all_upcoming' });
    assert.deepEqual([upcoming.totalCount, upcoming.rows], [1, [['Meeting 1']]]);
    const none = await core.previewExport({ organization, columns: [] });
    assert.deepEqual(none, { totalCount: 0, columns: [], rows: [] });
    for (const wrong of [{ columns: ['secret'] }, { columns, reportingDays: 'custom' }]) {
      await assert.rejects(core.previewExport({ organization, ...wrong }), Refusal);
    }
  });
});

async function started(meetings: readonly DatasetMeeting[]) {
  const { ports, load } = memoryPorts();
  await load({ organizations: [anOrganization(1), anOrganization(2)], meetings });
  return {
    core: createCore(ports, { links: { invitation: () => '', login: () => '', defaultAvatar: '' } }),
  };
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += Buffer.from(chunk).toString();
  return text;
}
