import type { Bulk, SqlValue } from '../engine/database.js';
import { joinTexts, raw, SQL, type SqlText } from '../engine/sql-text.js';
import { execute, exists, selectOne } from '../engine/statements.js';
import { createChangesStaging } from './meeting-changes.js';
import {
  type Column,
  columnTypes,
  type DatasetKind,
  importTimestamp,
  kinds,
  type Staged,
  type StagedKind,
} from './staged-kinds.js';

/** Creates the staging tables. On PostgreSQL they have no keys while they are filled, because COPY cannot replace rows. */
export async function createStaging(bulk: Bulk): Promise<void> {
  const { engine } = bulk;
  const { whole, boolean } = columnTypes[engine];
  for (const { table, key, columns } of Object.values(kinds)) {
    const keyColumns = key.map((name) => `${name} ${whole}`);
    const own = columns.map(({ name, type }) => `${name} ${columnTypes[engine][type]}`);
    // In the order of `stagedColumns`.
    const all = [...keyColumns, `line ${whole}`, `deleted ${boolean}`, `left_out ${whole}`, ...own];
    if (engine === 'sqlite') all.push(`PRIMARY KEY (${key.join(', ')})`);
    const withoutRowid = engine === 'sqlite' && key.length > 1 ? ' WITHOUT ROWID' : '';
    await bulk.run(`CREATE TEMP TABLE staged_${table} (${all.join(', ')})${withoutRowid}`);
  }
  await bulk.run(
    `CREATE TEMP TABLE staged_ties (meeting_id ${whole}, organization_id ${whole}, line ${whole})`,
  );
  const primary = engine === 'sqlite' ? ' PRIMARY KEY' : '';
  await bulk.run(`CREATE TEMP TABLE staged_tied (meeting_id ${whole}${primary}, line ${whole})`);
  await createChangesStaging(bulk, whole, boolean);
}

/**
 * On PostgreSQL, keeps the last record of each key, and analyzes the columns that tables are joined by. Analyzing long
 * texts would take longer than loading them.
 */
export async function finishStaging(bulk: Bulk): Promise<void> {
  if (bulk.engine === 'sqlite') return;
  const tables = Object.values(kinds).map(({ table, key, columns }) => ({
    table: `staged_${table}`,
    key: key.join(', '),
    // Only meetings have long texts, and no table is joined by them.
    analyzed: table === 'meetings' ? columns.filter(({ type }) => type !== 'text') : columns,
  }));
  for (const { table, key, analyzed } of [
    ...tables,
    { table: 'staged_tied', key: 'meeting_id', analyzed: [] },
  ]) {
    // A small import fills one or two of them, and each statement takes a round trip.
    if (!(await exists(bulk)`FROM ${raw(table)} LIMIT 1`)) continue;
    await execute(bulk)`DELETE FROM ${raw(table)} WHERE ctid IN (
        SELECT place FROM (
          SELECT ctid AS place, row_number() OVER (PARTITION BY ${raw(key)} ORDER BY line DESC) AS rank
            FROM ${raw(table)}
        ) AS ranked WHERE rank > 1
      )`;
    await bulk.run(`ALTER TABLE ${table} ADD PRIMARY KEY (${key})`);
    await bulk.run(`ANALYZE ${table} (${[key, 'line', ...analyzed.map(({ name }) => name)].join(', ')})`);
  }
  await bulk.run('ANALYZE staged_ties');
}

/** Counts the staged records, before the import locks anything, so that no other process waits for the counting. */
export async function countStaged(bulk: Bulk): Promise<Staged> {
  const found: [DatasetKind, StagedKind][] = [];
  for (const [name, { table }] of Object.entries(kinds)) {
    const kind = name as DatasetKind;
    const row = await selectOne<{ stored: number; removes: number; leaves_out: number }>(bulk)`
        SELECT count(*) FILTER (WHERE NOT deleted) AS stored, count(*) FILTER (WHERE deleted) AS removes,
        coalesce(max(left_out), 0) AS leaves_out
      FROM staged_${raw(table)}`;
    const { stored = 0, removes = 0, leaves_out = 0 } = row ?? {};
    found.push([kind, { kind, table, stored, removes: removes > 0, leavesOut: leaves_out > 0 }]);
  }
  return Object.fromEntries(found) as Record<DatasetKind, StagedKind>;
}

/**
 * Tells whether a staged record has this column; `staged` names its table. On PostgreSQL, others may write to a stored row
 * after `fillIn`: what the record leaves out must then stay.
 */
export function hasColumn(kind: DatasetKind, name: string): SqlText {
  const bit = 2 ** kinds[kind].columns.findIndex((column) => column.name === name);
  return raw(`(staged.left_out & ${bit}) = 0`);
}

/** Sets the columns of a stored row, in `ON CONFLICT … DO UPDATE`. What the record leaves out stays as it is now. */
export function updateOf({ kind, table, leavesOut }: StagedKind): SqlText {
  const { key, columns } = kinds[kind];
  const isSame = raw(key.map((name) => `staged.${name} = excluded.${name}`).join(' AND '));
  const changes = columns.map(({ name, defaultValue }) => {
    if (!leavesOut || defaultValue === undefined) return raw(`${name} = excluded.${name}`);
    const has = SQL`(SELECT ${hasColumn(kind, name)} FROM staged_${raw(table)} AS staged WHERE ${isSame})`;
    return SQL`${raw(name)} = CASE WHEN ${has} ${raw(`THEN excluded.${name} ELSE ${table}.${name}`)} END`;
  });
  return joinTexts(changes, ', ');
}

/** The kinds of which `fillIn` has found stored records. */
export type FilledKinds = ReadonlySet<DatasetKind>;

/**
 * Gives the columns that a record leaves out, or that only a directory may change, their stored values, if the record is
 * already stored. `filled`: what earlier calls have returned; a record that was stored then and is not now gets the
 * default values again. The `+` keeps SQLite from scanning the stored rows first: they may be many more than the staged
 * ones.
 */
export async function fillIn(
  bulk: Bulk,
  { staged, at, filled }: { readonly staged: Staged; readonly at: Date; readonly filled: FilledKinds },
): Promise<FilledKinds> {
  const found = new Set(filled);
  for (const { kind, table, leavesOut } of Object.values(staged)) {
    if (!leavesOut) continue;
    const { key, columns } = kinds[kind];
    const optional = columns.filter(({ defaultValue }) => defaultValue !== undefined);
    const assign = (leftOut: (column: Column) => SqlText | SqlValue): SqlText => {
      const changes = optional.map((column) => {
        const has = SQL`CASE WHEN ${hasColumn(kind, column.name)} THEN staged.${raw(column.name)}`;
        return SQL`${raw(column.name)} = ${has} ELSE ${leftOut(column)} END`;
      });
      return joinTexts(changes, ', ');
    };
    const isSame = raw(key.map((name) => `stored.${name} = +staged.${name}`).join(' AND '));
    const ofDefault = ({ defaultValue = null }: Column) =>
      defaultValue === importTimestamp ? at : defaultValue;
    if (filled.has(kind))
      await execute(bulk)`UPDATE staged_${raw(table)} AS staged SET ${assign(ofDefault)}
        WHERE staged.left_out <> 0 AND NOT EXISTS (SELECT 1 FROM ${raw(table)} AS stored WHERE ${isSame})`;
    const { changes } = await execute(bulk)`UPDATE staged_${raw(table)} AS staged
      SET ${assign(({ name }) => raw(`stored.${name}`))} FROM ${raw(table)} AS stored
      WHERE staged.left_out <> 0 AND ${isSame}`;
    if (changes > 0) found.add(kind);
  }
  if (staged.membership.stored > 0) await keepDirectoryIds(bulk);
  return found;
}

/** The `idp_id` of a member that the organization's directory keeps stays, as at every other door. */
async function keepDirectoryIds(bulk: Bulk): Promise<void> {
  if (!(await exists(bulk)`FROM directory_people WHERE external_id IS NOT NULL LIMIT 1`)) return;
  await execute(bulk)`UPDATE staged_memberships AS staged SET idp_id = stored.idp_id
    FROM memberships AS stored, directory_people AS entry
    WHERE NOT staged.deleted
      AND stored.organization_id = +staged.organization_id AND stored.user_id = +staged.user_id
      AND entry.organization_id = stored.organization_id AND entry.uuid = stored.uuid
      AND entry.external_id IS NOT NULL`;
}
