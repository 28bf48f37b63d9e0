import { setTimeout as pause } from 'node:timers/promises';
import type { Bulk } from '#adapters/sql/engine/database.js';
import { type Database, openDatabase } from '#adapters/sql/index.js';
import type { DatasetItem } from '#adapters/sql/maintenance/dataset.js';
import { importDataset } from '#adapters/sql/maintenance/import.js';
import { serveParent } from '../forked-instance.js';
import type { Fault, Import, Task } from './messages.js';

/** An instance that opens a database, and imports what its parent sends. */
let opened: { readonly database: Database; readonly fault: Fault | null } | null = null;
serveParent((task: Task) => (task.kind === 'open' ? open(task) : importRecords(task)));

async function open({ url, fault }: Task & { readonly kind: 'open' }): Promise<true> {
  await opened?.database.close();
  opened = { database: await openDatabase(url, { timeoutMs: 20_000 }), fault };
  return true;
}

async function importRecords({ records, holdMs }: Import): Promise<true> {
  if (opened === null) throw new Error('no database is open');
  const { database, fault } = opened;
  const at = new Date();
  const items = records.map((record, index) => ({ line: index + 1, record }));
  const held: Database = {
    ...database,
    bulk: (work) => database.bulk((bulk) => work(heldOpen(withFault(bulk, { fault, begunAt: at }), holdMs))),
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

function withFault(
  bulk: Bulk,
  { fault, begunAt }: { readonly fault: Fault | null; readonly begunAt: Date },
): Bulk {
  const left = fault === null ? undefined : skipped[fault];
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
