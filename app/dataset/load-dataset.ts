import type { Ids, MembershipFacts } from '@rollcall/core';
import { membershipEvents, tellOf } from '@rollcall/core/adapters';
import { randomIds } from '@rollcall/node';
import type { Database, Sql } from '@rollcall/sql';
import {
  type Applied,
  type DatasetItem,
  type DatasetRecord,
  type ImportStep,
  importDataset,
} from '@rollcall/sql/maintenance';
import { ErrorCollector } from './dataset-errors.js';
import type { DatasetRules } from './dataset-rules.js';
import { type DatasetWarning, WarningCollector } from './dataset-warnings.js';
import { decompressed, type Line, readLines } from './lines.js';
import { createRecordCheck } from './record-check.js';

export interface LoadDataset {
  readonly database: Database;
  /** NDJSON, plain or gzip. */
  readonly source: AsyncIterable<Uint8Array>;
  /** The source is not gzip, whatever it begins with. */
  readonly isPlain?: boolean;
  /** How many bytes gzip may unpack to. 2 GB by default. */
  readonly maxUnpackedBytes?: number;
  readonly rules: DatasetRules;
  readonly at: Date;
  /** Makes the ids of events. Random by default. */
  readonly ids?: Ids;
  /** The number of the first line of the source. 1 by default. */
  readonly firstLine?: number | undefined;
  /** Called after each part with the number of records read so far. */
  readonly progress?: ((records: number) => void) | undefined;
  /** Called for each warning when everything has been read without an error. */
  readonly onWarning?: ((warning: DatasetWarning) => void) | undefined;
  /** Called before each step that follows the reading. */
  readonly onStep?: (step: ImportStep) => void;
  /** Only checks and counts. */
  readonly isDryRun?: boolean;
  /** Writes more in the transaction of the import. If it throws, nothing of the import is kept. */
  readonly beforeCommit?: (sql: Sql, applied: Applied) => Promise<void>;
}

/**
 * Reads, checks and stores a dataset, all or nothing, in constant memory. Each new membership with `registered` makes an
 * event. Throws `DatasetErrors` for invalid lines,
 * and `DatasetError` for the first line that contradicts other lines or stored data.
 */
export async function loadDataset({
  database,
  source: given,
  isPlain = false,
  maxUnpackedBytes,
  rules,
  at,
  ids = randomIds,
  firstLine,
  progress,
  onWarning,
  ...options
}: LoadDataset): Promise<Applied> {
  const tell = (moment: keyof typeof membershipEvents) =>
    membershipEvents[moment].length === 0
      ? null
      : (facts: MembershipFacts) => tellOf(moment, { facts: [facts], ids, at });
  const source = isPlain ? given : decompressed(given, maxUnpackedBytes);
  return importDataset(database, checkedItems({ source, rules, firstLine, progress, onWarning }), {
    ...options,
    at,
    events: { registered: tell('registered'), ended: tell('ended') },
  });
}

async function* checkedItems({
  source,
  rules,
  firstLine,
  progress,
  onWarning,
}: Pick<LoadDataset, 'source' | 'rules' | 'firstLine' | 'progress' | 'onWarning'>): AsyncGenerator<
  readonly DatasetItem[]
> {
  const checks = { check: createRecordCheck(rules), rules, errors: new ErrorCollector() };
  const collected = new WarningCollector();
  let records = 0;
  for await (const lines of linesUntilCorrupt(readLines(source, firstLine), checks.errors)) {
    const items = await itemsOf(lines, checks);
    // After an error, the rest is only checked.
    if (!checks.errors.hasAny) yield items;
    for (const { line, record } of items) collected.add(line, record);
    records += lines.length;
    progress?.(records);
  }
  checks.errors.throwIfAny();
  for (const warning of collected.warnings) onWarning?.(warning);
}

/** Damaged data ends the reading and counts as the last error. */
async function* linesUntilCorrupt(
  lines: AsyncIterable<readonly Line[]>,
  errors: ErrorCollector,
): AsyncGenerator<readonly Line[]> {
  try {
    yield* lines;
  } catch (error) {
    errors.add(error);
  }
}

interface Checks {
  readonly check: (line: Line) => DatasetRecord;
  readonly rules: DatasetRules;
  readonly errors: ErrorCollector;
}

/** Yields the valid lines as items, and collects the others as errors. */
async function itemsOf(
  lines: readonly Line[],
  { check, rules, errors }: Checks,
): Promise<readonly DatasetItem[]> {
  const items: DatasetItem[] = [];
  for (const line of lines) {
    try {
      const checked = check(line);
      // Waiting for a promise takes as long as checking a record, so it is done only for those with a key.
      const record = 'access_key_hash' in checked ? await withoutKnownKey(checked, line, rules) : checked;
      items.push({ line: line.number, record });
    } catch (error) {
      errors.add(error);
    }
  }
  return items;
}

/**
 * Leaves out an access key that the organization already has under an earlier secret key. Replacing its hash would end
 * the tokens that were made with it.
 */
async function withoutKnownKey(
  record: Extract<DatasetRecord, { readonly access_key_hash?: unknown }>,
  line: Line,
  rules: DatasetRules,
): Promise<DatasetRecord> {
  const { access_key } = JSON.parse(line.text) as { readonly access_key: string };
  const owner = await rules.organizationOf(rules.accessKeyHashes(access_key));
  if (owner?.id !== record.id) return record;
  const { access_key_hash: _known, ...rest } = record;
  return rest;
}
