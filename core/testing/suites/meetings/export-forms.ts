import { encodeRow, encodeRows } from '../../../meetings/encode-row.js';
import { type ExportColumn, exportColumns } from '../../../meetings/export-columns.js';
import { csvText } from '../../../values/csv.js';
import { aMeeting } from '../../dataset.js';
import { type ContractTest, expectEqual, expectTrue } from '../../expect.js';
import { minutes } from '../../noon.js';
import type { MakeTest } from '../../start-storage.js';
import { columns, encoded, exported, exportedPage, exportRequest, textOf } from './export-request.js';
import { hostileMeetings } from './sample-meetings.js';

export function exportFormsTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('every form has every column with its type, and all texts unchanged', async (storage) => {
      const all = hostileMeetings();
      await storage.load({ meetings: all });
      const expected: readonly object[] = all.map((one) => JSON.parse(encodeRow(one, exportColumns)));
      const request = { columns: exportColumns };
      expectEqual(await exported(storage, request), expected);

      const lines = (await encoded(storage, { ...request, form: 'ndjson' })).split('\n');
      expectEqual(lines.pop(), '');
      const objects = lines.map((line) => JSON.parse(line));
      expectEqual(objects, expected);

      const records = csvRecords(await encoded(storage, { ...request, form: 'csv' }));
      const cells = records.map((record) =>
        record.map((cell, index) => cellValue(cell, exportColumns[index])),
      );
      const values = expected.map((row) => Object.values(row));
      expectEqual(cells, values);
    }),

    test('csv turns no text into a formula, and leaves every number a number', async (storage) => {
      const texts = [
        '=1+1',
        '+1',
        '-1',
        '@A1',
        '\t=1',
        '\r=1',
        '\n=1',
        '＝1',
        '＋1',
        '－1',
        '＠1',
        '"=1',
        ' =1',
        'O;=1+1',
        'O;"=1',
        'a\n＝1',
        'a\r\n-1;+2',
        'a;b=1',
      ];
      await storage.load({
        meetings: texts.map((name, index) => aMeeting(index + 1, { name, price: -1.5, duration: 60 })),
      });
      const request = { columns: columns('price', 'name', 'duration'), form: 'csv' } as const;
      const rows = texts.map((name) => `-1.5,${csvText(name)},60\r\n`);
      expectEqual(await encoded(storage, request), rows.join(''));
      const page = { ...exportRequest({}), ...request, page: { offset: 0, limit: 100 } };
      expectEqual(await textOf(await storage.meetings.export(page)), rows.join(''));
    }),

    test('csv distinguishes a missing text from an empty one', async (storage) => {
      await storage.load({
        meetings: [aMeeting(1, { description: null }), aMeeting(2, { description: '', groupLeaderId: 1 })],
      });
      const requested = columns('meeting_description', 'group_leader_id', 'eap', 'start_time');
      const text = await encoded(storage, { columns: requested, form: 'csv' });
      const start = aMeeting(1).startTime.toISOString();
      expectEqual(text, `,,false,${start}\r\n"",1,false,${start}\r\n`);
    }),

    test('an empty export, a page and thousands of rows, many of one time, have the right rows in every form', async (storage) => {
      const all = Array.from({ length: 2345 }, (_, index) =>
        aMeeting(index + 1, {
          startTime: minutes(Math.floor(index / 800)),
          organizationId: index % 5 === 0 ? null : 1,
          eapOrganizationIds: index % 5 === 0 ? [1] : [],
        }),
      );
      const forms = ['json', 'ndjson', 'csv'] as const;
      for (const form of forms) expectEqual(await encoded(storage, { columns: columns('name'), form }), '');
      expectEqual(await exportedPage(storage, { offset: 0, limit: 10 }), { total: 0, names: [] });
      await storage.load({ meetings: all });
      for (const form of forms) {
        const request = { columns: columns('name', 'price'), form };
        const whole = encodeRows(all, request).join('');
        expectEqual(await encoded(storage, request), whole);
        const page = { ...exportRequest({}), ...request, page: { offset: 2340, limit: 10 } };
        const rows = await storage.meetings.export(page);
        expectEqual([rows.total, await textOf(rows)], [2345, encodeRows(all.slice(2340), request).join('')]);
      }
    }),
  ];
}

/** Reads records of RFC 4180. An empty cell without quotes is null. */
function csvRecords(csv: string): readonly (readonly (string | null)[])[] {
  const records: (string | null)[][] = [];
  let record: (string | null)[] = [];
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy)) {
    record.push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    records.push(record);
    record = [];
  }
  expectEqual(record, []);
  return records;
}

/** Returns the value of a cell. Throws if an apostrophe before a formula is missing. */
function cellValue(cell: string | null, column: ExportColumn | undefined): unknown {
  if (cell === null) return null;
  if (column?.type === 'boolean' || column?.type === 'price' || column?.type.startsWith('integer'))
    return JSON.parse(cell);
  expectTrue(!/^[=+\-@\t\r\n]|[;\t\r\n]"*[=+\-@]/.test(cell), `a formula: ${cell}`);
  return cell.replace(/^'(?=[=+\-@\t\r\n])|(?<=[;\t\r\n])'(?="*[=+\-@])/g, '');
}
