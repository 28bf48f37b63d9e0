import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apiSuite } from '../support/http/api-suite.js';
import { exportOf, pastMeeting } from '../support/http/exported-meetings.js';

apiSuite((service) => {
  const { holding, exported, names, refused } = exportOf(service);

  describe('reporting_days (4.6, decisions 9 and 10)', () => {
    test('updated_since: only meetings that were updated then or later, of those that the other parameters select', async () => {
      const updated = (name: string, updatedAt: string, status = 'complete') => ({
        ...pastMeeting('2026-10-01T10:00:00', { status, updatedAt: new Date(updatedAt) }),
        name,
      });
      const organization = await holding([
        updated('before', '2026-11-10T17:59:59.999Z'),
        updated('exactly then', '2026-11-10T18:00:00.000Z'),
        updated('later', '2026-11-11T00:00:00.000Z'),
        updated('later and cancelled', '2026-11-11T00:00:00.000Z', 'cancel'),
      ]);
      for (const time of ['2026-11-10T18:00:00.000Z', '2026-11-10T18:00Z', '2026-11-10T19:00:00+01:00'])
        assert.deepEqual(await names(organization, { updated_since: time }), ['exactly then', 'later'], time);
      assert.deepEqual(
        await names(organization, {
          reporting_days: 'everything',
          updated_since: '2026-11-10T18:00:00.001Z',
        }),
        ['later', 'later and cancelled'],
      );
      const all = ['before', 'exactly then', 'later'];
      assert.deepEqual(await names(organization, { updated_since: '' }), all);
      const { json } = await exported(organization, {
        ...{ column: ['id'], reporting_days: 'everything', updated_since: '2026-11-11T00:00:00Z' },
        ...{ page: 2, per_page: 1 },
      });
      assert.deepEqual(json, {
        success: true,
        metadata: { page: 2, per_page: 1, total_pages: 2, total_count: 2 },
        meetings: [{ id: organization.id * 1000 + 3 }],
      });
    });

    test('updated_since in another form, or a date that does not exist: 400 that names it and the form', async () => {
      const organization = await holding([]);
      const form =
        'updated_since must be an existing date and time with its offset, such as 2026-11-20T18:30:00.000Z';
      for (const time of ['2026-11-20', '11/20/2026 06:30 PM', '2026-02-30T00:00:00Z'])
        assert.equal(await refused(organization, { updated_since: time }), form, time);
      const { json } = await organization.get(
        '/export_meetings?column=id&updated_since=2026-11-20T18:00:00+01:00',
      );
      assert.deepEqual(json, { error: `${form}. In a URL, write + as %2B` });
      const zone = await organization.get('/export_meetings?column=id&time_zone=Etc/GMT+5');
      assert.match(zone.json.error, /^time_zone must .*\. In a URL, write \+ as %2B$/);
      const spaces = await organization.get('/export_meetings?column=id&start_time=13/01/2026+12:00+AM');
      assert.doesNotMatch(spaces.json.error, /%2B/);
    });

    test('an unknown value, a date that does not exist, or another form: 400 that names it (decision 7)', async () => {
      const organization = await holding([]);
      const allowed =
        'all, all_past, all_upcoming, today, current_month, last_week, last_month, custom, everything';
      for (const [field, value, error] of [
        ['reporting_days', 'ALL', `reporting_days must be one of ${allowed}`],
        ['report_type', 'eap', 'report_type must be one of all_meetings, eap_meetings'],
        ['time_zone', 'Mars/Olympus', 'time_zone must'],
        ['start_time', '02/30/2026 12:00 AM', 'start_time must'],
        ['end_time', '2026-11-01T00:00:00Z', 'end_time must'],
      ] as const) {
        const refusal = await refused(organization, { [field]: value });
        assert.ok(refusal.startsWith(error), refusal);
        if (field.endsWith('time')) assert.match(refusal, /MM\/DD\/YYYY HH:MM AM\/PM/);
      }
    });
  });

  describe('time_zone (decision 9)', () => {
    test('changes when the days of presets and ranges begin', async () => {
      const organization = await holding([
        pastMeeting('2026-11-19T22:59:59'),
        pastMeeting('2026-11-19T23:00:00'),
        pastMeeting('2026-11-20T22:59:59'),
        pastMeeting('2026-11-20T23:00:00'),
      ]);
      const inBerlin = ['2026-11-19T23:00:00', '2026-11-20T22:59:59'];
      const zone = { time_zone: 'Europe/Berlin' };
      assert.deepEqual(await names(organization, { reporting_days: 'today', ...zone }), inBerlin);
      const range = { start_time: '11/20/2026 12:00 AM', end_time: '11/20/2026 11:59 PM' };
      assert.deepEqual(await names(organization, { reporting_days: 'custom', ...range, ...zone }), [
        ...inBerlin,
      ]);
    });
  });
});
