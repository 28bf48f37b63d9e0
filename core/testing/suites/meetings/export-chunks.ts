import { encodeRows } from '../../../meetings/encode-row.js';
import { aMeeting, type DatasetMeeting } from '../../dataset.js';
import { atOnce, type ContractTest, expectEqual, expectTrue } from '../../expect.js';
import { minutes } from '../../noon.js';
import type { MakeTest } from '../../start-storage.js';
import { columns, exportedNames, exportRequest, textOf } from './export-request.js';

/** More exports than an adapter may have open at once. */
const MANY_EXPORTS = 40;

/** How often a writer changes something while an export is read. Chunks may be many. */
const MAX_WRITES = 8;

/** Ways in which a reader leaves an export. */
const abandonments: readonly ((reader: AsyncIterator<Uint8Array>) => Promise<unknown>)[] = [
  async (reader) => reader.return?.(),
  async (reader) => {
    await reader.next();
    await reader.return?.();
  },
  async (reader) => {
    await reader.next();
    await reader.throw?.(new Error('The reader has failed')).catch(() => {});
  },
];

/** An export is read chunk by chunk, from one snapshot. */
export function exportChunksTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('an export of more than 1 MB is one snapshot, although meetings change between its chunks', async (storage) => {
      const meetings = manyMeetings(2000, { description: 'é'.repeat(300) });
      await storage.load({ meetings });
      const { chunks } = await storage.meetings.export(wholeRequest);
      const sizes: number[] = [];
      const decoder = new TextDecoder();
      let text = '';
      for await (const chunk of chunks) {
        sizes.push(chunk.length);
        text += decoder.decode(chunk, { stream: true });
        if (sizes.length <= MAX_WRITES) await storage.load({ meetings: changed(meetings, sizes.length) });
      }
      expectEqual(text, encodeRows(meetings, wholeRequest).join(''));
      expectTrue(sizes.length > 1, `an export of ${sizes[0]} bytes is a single chunk`);
    }),

    test('the total of a page is that of its rows, although meetings are added before they are read', async (storage) => {
      const meetings = manyMeetings(100);
      await storage.load({ meetings });
      const page = { offset: 90, limit: 100 };
      const rows = await storage.meetings.export({ ...exportRequest({}), page });
      await storage.load({ meetings: changed(meetings, 1) });
      const names = meetings.slice(90).map(({ name }) => ({ name }));
      expectEqual([rows.total, JSON.parse(`[${await textOf(rows)}]`)], [100, names]);
    }),

    test('an export that is abandoned releases its snapshot: many can follow, and meetings can be changed', async (storage) => {
      const meetings = manyMeetings(1200);
      await storage.load({ meetings });
      for (let round = 0; round < MANY_EXPORTS; round += 1) {
        const { chunks } = await storage.meetings.export(wholeRequest);
        await abandonments[round % abandonments.length]?.(chunks[Symbol.asyncIterator]());
      }
      await storage.load({ meetings: changed(meetings, 1) });
      expectEqual((await exportedNames(storage, {})).length, 1201);
    }),

    test('while an export is not read on, meetings can be changed and exported, and the storage can be closed', async (storage) => {
      const meetings = manyMeetings(1200);
      await storage.load({ meetings });
      const { chunks } = await storage.meetings.export(wholeRequest);
      const first = await chunks[Symbol.asyncIterator]().next();
      expectTrue(first.done !== true, 'the export has no chunk');
      await storage.load({ meetings: changed(meetings, 1) });
      expectEqual((await exportedNames(storage, {})).length, 1201);
      // The test ends without reading on, and its end closes the storage.
    }),

    test('eight exports at once return the same rows', async (storage) => {
      await storage.load({ meetings: manyMeetings(700) });
      const all = await atOnce(8, () => exportedNames(storage, {}));
      expectEqual(
        all.map((names) => names.length),
        Array(8).fill(700),
      );
    }),
  ];
}

const wholeRequest = { ...exportRequest({}), columns: columns('name', 'meeting_description'), page: null };

function manyMeetings(count: number, fields: Partial<DatasetMeeting> = {}): readonly DatasetMeeting[] {
  return Array.from({ length: count }, (_, index) =>
    aMeeting(index + 1, { startTime: minutes(index), ...fields }),
  );
}

/** A change of one of the last meetings, and a new meeting in front of them. */
function changed(meetings: readonly DatasetMeeting[], round: number): readonly DatasetMeeting[] {
  const { id, startTime } = meetings.at(-round) ?? aMeeting(round);
  return [aMeeting(id, { name: 'changed', startTime }), aMeeting(9000 + round, { startTime })];
}
