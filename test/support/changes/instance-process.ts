import { setTimeout as pause } from 'node:timers/promises';
import type { Bulk } from '#adapters/sql/engine/database.js';
import { type Database, openDatabase } from '#adapters/sql/index.js';
import type { DatasetItem } from '#adapters/sql/maintenance/dataset.js';
import { importDataset } from '#adapters/sql/maintenance/import.js';
import { serveParent } from '../forked-instance.js';
import type { Fault, Import } from './messages.js';

/** An instance that imports what its parent sends: `node instance-process.js <database URL> [fault]`. */
const [url = '', fault] = process.argv.slice(2);
const database = await openDatabase(url, { timeoutMs: 20_000 });
serveParent(importRecords);

async function importRecords({ records, holdMs }: Import): Promise<true> {
  const at = new Date();
  const items = records.map((record, index) => ({ line: index + 1, record }));
  const held: Database = {
    ...database,
    bulk: (work) => database.bulk((bulk) => work(heldOpen(withFault(bulk, at), holdMs))),
  };
  await importDataset(held, oneBatch(items), { at });
  return true;
}

/** The transaction stays open after its last statement, so that later imports have to wait. */
function heldOpen(bulk: Bulk, holdMs: number): Bulk {
  return {
    ...bulk,
    write: (work) =>
      bulk.write(async () => {
        const result = await work();
        await pause(holdMs);
        return result;
      }),
  };
}

/** The statements that are left out. */
const skipped: Partial<Record<Fault, RegExp>> = {
  'unstamped-ties': /^UPDATE service_meeting_organizations SET updated_at = \?\s+WHERE updated_at <> \?/,
  'silent-moves': /^INSERT INTO hidden_meetings\s+SELECT stored\.id/,
  'silent-switches': /^UPDATE service_meeting_organizations SET updated_at = \?\s+WHERE organization_id IN/,
};

function withFault(bulk: Bulk, begunAt: Date): Bulk {
  const left = skipped[fault as Fault];
  return {
    ...bulk,
    async run(text, values) {
      if (left?.test(text)) return { changes: 0 };
      const isClock = fault === 'early-time' && text.includes('INTO meeting_clock');
      const ascending = ' WHERE excluded.last_at > meeting_clock.last_at';
      return bulk.run(`${text}${isClock ? ascending : ''}`, values);
    },
    async get<Row>(text: string, values?: Parameters<Bulk['get']>[1]): Promise<Row | undefined> {
      if (fault !== 'early-time' || !text.includes('FROM meeting_clock')) return bulk.get<Row>(text, values);
      return { last_at: null, now: begunAt.toISOString() } as Row;
    },
  };
}

async function* oneBatch(items: readonly DatasetItem[]): AsyncGenerator<readonly DatasetItem[]> {
  yield items;
}
