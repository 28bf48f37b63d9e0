import { Unavailable } from '@rollcall/core';
import type { Client } from 'pg';
import {
  type Copy,
  type DatabaseOptions,
  type Snapshot,
  type SqlValue,
  sqlWithin,
} from '../engine/database.js';
import { withDeadline } from '../engine/deadline.js';
import type { ExportTurns } from '../engine/export-turns.js';
import type { Pool } from '../engine/pool.js';
import { recordFailure, startStatementSpan } from '../engine/tracing.js';
import { type CopyOut, copyOut } from '../fast-paths/copy-out.js';
import { abandonConnection } from './leaving.js';
import {
  guard,
  query,
  type StatementTimeout,
  sqlOn,
  timeoutUntil,
  translation,
  withinTime,
} from './query.js';
import { beginText } from './session.js';
import { rollBack } from './transaction.js';
import { literal } from './values.js';

const BEGIN_SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

interface SnapshotOptions extends Pick<Required<DatabaseOptions>, 'timeoutMs' | 'stallTimeoutMs'> {
  readonly reading: ExportTurns;
}

/** Opens a snapshot on a connection of the pool. Its transaction begins with the first statement. */
export async function openSnapshot(
  pool: Pool<Client>,
  { timeoutMs, stallTimeoutMs, reading }: SnapshotOptions,
): Promise<Snapshot> {
  const connection = await withDeadline(timeoutMs, (deadline) => pool.acquire(deadline));
  let started: Promise<unknown> | null = null;
  let runningSteps = 0;
  let copyRows: CopyOut | null = null;
  let isReleased = false;
  const release = async () => {
    if (isReleased) return;
    isReleased = true;
    clearTimeout(stall);
    if (runningSteps > 0 || copyRows?.isFinished() === false) abandonConnection(connection);
    else if (started !== null) await rollBack(connection);
    await pool.release(connection);
  };
  const stall = setTimeout(release, stallTimeoutMs).unref();
  /** Until the first rows arrive, nothing has been sent to the caller, and the ordinary deadline applies. */
  let hasRows = false;
  let stepDeadline = 0;
  const timeout: StatementTimeout = () => (hasRows ? stallTimeoutMs : timeoutUntil(stepDeadline)());
  const begin = () => {
    started ??= query(connection, { text: beginText(connection, BEGIN_SNAPSHOT), timeoutMs: timeout() });
    return started;
  };
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isReleased) throw new Unavailable('The snapshot was released.');
    stall.refresh();
    runningSteps += 1;
    try {
      return await withDeadline(stallTimeoutMs, async (deadline) => {
        stepDeadline = deadline;
        await begin();
        return work();
      });
    } catch (error) {
      throw isReleased ? new Unavailable('The snapshot was released.', { cause: error }) : error;
    } finally {
      runningSteps -= 1;
    }
  };
  const copy: Copy = async function* (text, values, encode) {
    const span = startStatementSpan('postgres', text);
    try {
      // In one message, because each further message takes as long as the first rows.
      const begins = started === null ? `${beginText(connection, BEGIN_SNAPSHOT)}; ` : '';
      started ??= Promise.resolve();
      const statements = begins + copyStatements(text, values);
      const rows = await step(async () => copyOut(connection, statements, { encode, reading }));
      copyRows = rows;
      while (!rows.isFinished()) {
        const piece = await step(() =>
          guard(connection, () => withinTime(connection, timeout(), () => rows.next())),
        );
        hasRows = true;
        if (rows.isFinished()) await release();
        if (piece.length > 0) yield piece;
      }
    } catch (error) {
      if (span !== null) recordFailure(span, error);
      throw error;
    } finally {
      span?.end();
      await release();
    }
  };
  const sql = sqlOn(() => connection, timeout);
  return {
    ...sqlWithin((statement) => step(() => statement(sql))),
    copy,
    async all<Row>(text: string, values?: readonly SqlValue[]) {
      const rows = await step(() => sql.all<Row>(text, values));
      hasRows = true;
      return rows;
    },
    release,
  };
}

/** Longer than the slowest reader may take. After that, the server ends a COPY that no longer has a reader. */
const COPY_TIMEOUT_MS = 3_900_000;

/**
 * The timeout of a statement is long, because a reader may be slow; `stallTimeoutMs` limits how slow. The planner does
 * not know that the first row should come soon: without the other settings it might sort all rows first.
 */
const COPY_SETTINGS = [
  `statement_timeout = ${COPY_TIMEOUT_MS}`,
  'enable_sort = off',
  'enable_seqscan = off',
  'enable_bitmapscan = off',
];

/** Writes the values as literals, because COPY takes no parameters. */
function copyStatements(text: string, values: readonly SqlValue[]): string {
  const selected = translation(text).text.replace(/\$(\d+)/g, (_, number) =>
    literal(values[Number(number) - 1] ?? null),
  );
  const settings = COPY_SETTINGS.map((setting) => `SET LOCAL ${setting}`);
  return [...settings, `COPY (${selected}) TO STDOUT`].join('; ');
}
