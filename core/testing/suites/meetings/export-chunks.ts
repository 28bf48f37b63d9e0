import { aMeeting } from '../../dataset.js';
import { atOnce, type ContractTest, expectEqual, expectTrue } from '../../expect.js';
import type { MakeTest } from '../../start-storage.js';
import { exportedNames, exportRequest } from './export-request.js';
import { minutes } from './sample-meetings.js';

/** An export is read chunk by chunk. Changes that are made meanwhile must not show. */
export function exportChunksTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('changes that are made while the chunks are read do not show', async (started) => {
      const meetings = Array.from({ length: 1500 }, (_, index) =>
        aMeeting(index + 1, { startTime: minutes(index) }),
      );
      await started.load({ meetings });
      const { chunks } = await started.storage.meetings.export({ ...exportRequest({}), page: null });
      const reader = chunks[Symbol.asyncIterator]();
      const first = await reader.next();

      await started.load({
        meetings: [
          aMeeting(1400, { name: 'changed', startTime: minutes(1399) }),
          aMeeting(9000, { startTime: minutes(9000) }),
        ],
      });
      let rest = decode(first.done ? new Uint8Array() : first.value);
      for (let chunk = await reader.next(); !chunk.done; chunk = await reader.next())
        rest += decode(chunk.value);
      const names = (JSON.parse(`[${rest}]`) as readonly { name: string }[]).map(({ name }) => name);
      expectEqual(
        names,
        meetings.map(({ name }) => name),
      );
    }),

    test('exports that are abandoned in the middle release everything', async (started) => {
      await started.load({
        meetings: Array.from({ length: 1200 }, (_, index) =>
          aMeeting(index + 1, { startTime: minutes(index) }),
        ),
      });
      for (let round = 0; round < 30; round += 1) {
        const { chunks } = await started.storage.meetings.export({ ...exportRequest({}), page: null });
        for await (const chunk of chunks) {
          expectTrue(chunk.length > 0, 'an empty chunk');
          break;
        }
      }
      expectEqual((await exportedNames(started, {})).length, 1200);
    }),

    test('eight exports at once return the same rows', async (started) => {
      await started.load({
        meetings: Array.from({ length: 700 }, (_, index) =>
          aMeeting(index + 1, { startTime: minutes(index) }),
        ),
      });
      const all = await atOnce(8, () => exportedNames(started, {}));
      expectEqual(
        all.map((names) => names.length),
        Array(8).fill(700),
      );
    }),
  ];
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
