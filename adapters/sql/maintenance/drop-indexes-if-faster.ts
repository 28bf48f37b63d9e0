import type { Bulk, Engine } from '../engine/database.js';
import { raw, SQL } from '../engine/sql-text.js';
import { execute, exists } from '../engine/statements.js';
import type { DatasetKind, Staged } from './staged-kinds.js';
import { type Droppable, droppablesOf, switchedOff, withDropped } from './tables.js';

interface BulkLoad {
  readonly staged: Staged;
  readonly kind: DatasetKind;
  /** The trigger that corrects a wrong `end_time` in each row. The end times of an import are right. */
  readonly corrector: string | null;
}

/**
 * Runs `work`, which stores many rows. Where that is faster, indexes, references and triggers are dropped before and
 * created again afterwards. On SQLite that is the case when there are more new rows than stored ones.
 */
export async function dropIndexesIfFaster(
  bulk: Bulk,
  { work, ...load }: BulkLoad & { readonly work: () => Promise<void> },
): Promise<void> {
  const hasRows = load.staged[load.kind].stored > 0;
  const dropped = hasRows ? await droppableOn[bulk.engine](bulk, load) : [];
  await withDropped(bulk, dropped, work);
}

const droppableOn: Record<Engine, (bulk: Bulk, load: BulkLoad) => Promise<readonly Droppable[]>> = {
  async sqlite(bulk, { staged, kind, corrector }) {
    const { table, stored } = staged[kind];
    // Reads one row instead of counting all.
    if (await exists(bulk)`FROM ${raw(table)} LIMIT 1 OFFSET ${stored}`) return [];
    const found = await droppablesOf(bulk, [table]);
    return found.filter(({ drop }) => drop.startsWith('DROP index') || drop === `DROP trigger ${corrector}`);
  },

  /**
   * Altering a table waits for every user of the table, even for a vacuum, and later users wait behind it. So only the
   * first rows of a table are stored this way, while no service runs. Otherwise a setting of this transaction makes the
   * trigger skip its rows.
   */
  async postgres(bulk, { staged, kind, corrector }) {
    const { table } = staged[kind];
    const skipping = corrector === null ? [] : [skipTrigger];
    const isFirst =
      !Object.values(staged).some(({ removes }) => removes) &&
      !(await exists(bulk)`FROM ${raw(table)} LIMIT 1`) &&
      (await exists(bulk)(mayAlter(table)));
    if (!isFirst || !(await bulk.isAlone())) return skipping;
    // The referenced rows are stored by now, and a table with unchecked references can't be altered.
    await bulk.run('SET CONSTRAINTS ALL IMMEDIATE');
    if (!(await lockAlone(bulk, table))) return skipping;
    const off = corrector === null ? [] : [switchedOff(table, corrector)];
    return [...off, ...(await droppablesOf(bulk, [table]))];
  },
};

/** The triggers of the schema explain the setting. */
const skipTrigger: Droppable = {
  drop: `SET LOCAL rollcall.end_times_are_right = 'on'`,
  create: `SET LOCAL rollcall.end_times_are_right = 'off'`,
};

/** Finds a row if this user may alter the table and create its indexes. */
const mayAlter = (table: string) => SQL`FROM pg_class WHERE oid = to_regclass('${raw(table)}')
    AND pg_has_role(relowner, 'USAGE') AND has_schema_privilege(relnamespace, 'CREATE')`;

/**
 * Locks the table and the tables that it refers to, if they are free, and returns whether it did. It never waits: a
 * reader may read for hours, or wait for a lock of this transaction.
 */
async function lockAlone(bulk: Bulk, table: string): Promise<boolean> {
  await execute(bulk)`DO $$
    DECLARE needed regclass;
    BEGIN
      FOR needed IN SELECT to_regclass('${raw(table)}')
        UNION SELECT confrelid FROM pg_constraint
          WHERE conrelid = to_regclass('${raw(table)}') AND contype = 'f'
      LOOP
        EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE NOWAIT', needed);
      END LOOP;
    EXCEPTION WHEN lock_not_available OR insufficient_privilege THEN
      NULL;
    END $$`;
  return exists(bulk)`FROM pg_locks WHERE pid = pg_backend_pid() AND relation = to_regclass('${raw(table)}')
      AND mode = 'AccessExclusiveLock' AND granted`;
}
