import type { Database } from '#adapters/sql/index.js';
import { kinds } from '#adapters/sql/maintenance/staged-kinds.js';

/** The SQL of an ordinary meeting's values: for a column that a dataset may leave out, what is stored then. */
const ordinary: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    kinds.meeting.columns.flatMap(({ name, defaultValue }) =>
      defaultValue === undefined ? [] : [[name, sqlOf(defaultValue)] as const],
    ),
  ),
  ...{ name: `'Meeting'`, meeting_type: `'Group'`, duration: '60', status: `'complete'`, location: `'zoom'` },
};

/**
 * SQL that stores an ordinary meeting for each row of what follows it, such as `FROM numbers`. The values are SQL, and
 * stand in the statement in the given order.
 */
export function insertMeetings(
  values: Readonly<Record<'id' | 'organization_id' | 'start_time' | 'end_time', string>> &
    Readonly<Record<string, string>>,
): string {
  const row = Object.entries({ ...values, ...ordinary, ...values });
  const columns = row.map(([column]) => column).join(', ');
  return `INSERT INTO meetings (${columns}) SELECT ${row.map(([, value]) => value).join(', ')}`;
}

function sqlOf(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value ?? 'NULL');
}

/** Runs each statement once for the numbers `n` of its range. What a statement reads is `numbers`, unless it says more. */
export function insertRows(
  database: Database,
  ranges: readonly (readonly [from: number, to: number, ...inserts: string[]])[],
): Promise<void> {
  return database.bulk(async (bulk) => {
    for (const [from, to, ...inserts] of ranges) {
      const numbers = `WITH RECURSIVE numbers (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM numbers WHERE n < ${to})`;
      for (const insert of inserts) {
        const source = insert.includes(' FROM numbers') ? '' : ' FROM numbers WHERE true';
        await bulk.write(() => bulk.run(`${numbers} ${insert}${source}`));
      }
    }
  });
}
