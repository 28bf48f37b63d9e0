import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { createCore, Refusal } from '@rollcall/core';
import { aMeeting } from '@rollcall/core/testing';
import { exportedText, northwind, startWithMeetings } from '../../support/core/meetings-core.js';

describe('previewExport', () => {
  test('returns the first ten rows and the total count', async () => {
    const meetings = Array.from({ length: 23 }, (_, index) =>
      aMeeting(index + 1, {
        name: `😀 ${index}`,
        status: 'complete',
        startTime: new Date(Date.UTC(2026, 0, index + 1)),
      }),
    );
    const { core } = await startWithMeetings([
      ...meetings,
      aMeeting(50),
      aMeeting(51, { organizationId: 2 }),
    ]);
    const preview = await core.previewExport({
      organization: northwind,
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

  test('reads rows whose characters are split between two chunks', async () => {
    const { ports, links } = await startWithMeetings([aMeeting(1, { name: '😀 É', status: 'complete' })]);
    const bytewise: typeof ports.meetings.export = async (request) => {
      const { total, chunks } = await ports.meetings.export(request);
      const bytes = Buffer.from(await exportedText(chunks));
      return { total, chunks: Readable.from([...bytes].map((byte) => Uint8Array.of(byte))) };
    };
    const core = createCore({ ...ports, meetings: { ...ports.meetings, export: bytewise } }, { links });
    const { rows } = await core.previewExport({ organization: northwind, columns: ['name'] });
    assert.deepEqual(rows, [['😀 É']]);
  });

  test('applies the range, and refuses what the export refuses', async () => {
    const { core } = await startWithMeetings([aMeeting(1), aMeeting(2, { status: 'complete' })]);
    const columns = ['name'];
    const upcoming = await core.previewExport({
      organization: northwind,
      columns,
      reportingDays: 'all_upcoming',
    });
    assert.deepEqual([upcoming.totalCount, upcoming.rows], [1, [['Meeting 1']]]);
    const none = await core.previewExport({ organization: northwind, columns: [] });
    assert.deepEqual(none, { totalCount: 0, columns: [], rows: [] });
    for (const wrong of [{ columns: ['secret'] }, { columns, reportingDays: 'custom' }]) {
      await assert.rejects(core.previewExport({ organization: northwind, ...wrong }), Refusal);
    }
  });
});
