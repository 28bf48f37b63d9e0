import { exportColumns } from '@rollcall/core/rules';
import pg from 'pg';
import type { SqlValue } from '#adapters/sql/engine/database.js';
import { exportMeetings } from '#adapters/sql/export/export-meetings.js';
import type { Database } from '#adapters/sql/index.js';
import { translation } from '#adapters/sql/postgres/query.js';

/** How PostgreSQL executed one page of an export of the first organization, including service meetings. */
export interface PageRun {
  /** For example `past, eap, page 11`. */
  readonly page: string;
  /** Made for these values, as in the first executions, or for all values. */
  readonly plan: 'custom' | 'generic';
  /** The fastest of several executions. */
  readonly milliseconds: number;
  /** The largest number of rows that a node has sorted. */
  readonly sortedRows: number;
  /** How many rows a node may sort: those of the page, and those before it if they are few or upcoming. */
  readonly maxSortedRows: number;
  /** Nodes, except counts, that read a whole table or index. */
  readonly scans: readonly string[];
}

export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Parent Relationship'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Sort Key'?: readonly string[];
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly Output?: readonly string[];
  readonly Plans?: readonly PlanNode[];
}

/** Whether the node reads a whole table or index. */
export function readsAll(node: PlanNode): boolean {
  return /Seq Scan|Index (Only )?Scan/.test(node['Node Type']) && node['Index Cond'] === undefined;
}

/** Whether the cost of the page grows with the data, except for the rows before the page. */
export function isGrowing({ sortedRows, maxSortedRows, scans }: PageRun): boolean {
  return sortedRows > maxSortedRows || scans.length > 0;
}

const NOW = new Date('2026-11-20T18:00:00.000Z');
const TRIES = 3;
/** The query reads the pages before this one from the start, and later ones in another way. */
const FIRST_DEEP_PAGE = 11;

interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** Runs early, deep, middle and last pages of each report. */
export async function runPages(
  database: Database,
  client: pg.Client,
  perPage: number,
): Promise<readonly PageRun[]> {
  const runs: PageRun[] = [];
  for (const state of ['past', 'any', 'upcoming'] as const) {
    for (const eapOnly of [false, true]) {
      const selection = { organizationId: 1, withServiceMeetings: true, eapOnly, state, updatedSince: null };
      const readPage = pageReader(
        database,
        { ...selection, now: NOW, starts: { from: null, before: null } },
        perPage,
      );
      const { total } = await readPage(0);
      const pages = Math.ceil(total / perPage);
      for (const number of [1, FIRST_DEEP_PAGE - 1, FIRST_DEEP_PAGE, Math.ceil(pages / 2), pages]) {
        const page = `${state}${eapOnly ? ', eap' : ''}, page ${number}`;
        const maxSortedRows =
          (state === 'upcoming' ? Math.max(number, FIRST_DEEP_PAGE) : FIRST_DEEP_PAGE) * perPage;
        const { statement } = await readPage((number - 1) * perPage);
        for (const plan of ['custom', 'generic'] as const)
          runs.push({ page, plan, maxSortedRows, ...(await run(client, plan, statement)) });
      }
    }
  }
  return runs;
}

type Selection = Parameters<ReturnType<typeof exportMeetings>>[0]['selection'];

/** Reads a page of the export. Returns its statement, and the total number of meetings. */
export function pageReader(database: Database, selection: Selection, limit: number) {
  return async (offset: number): Promise<{ readonly statement: Statement; readonly total: number }> => {
    const statements: Statement[] = [];
    const rows = <Row extends readonly unknown[]>(text: string, values: readonly SqlValue[] = []) => {
      statements.push({ text, values });
      return database.read.rows<Row>(text, values);
    };
    const read = { ...database.read, rows };
    const reading = { read, readAside: () => read };
    const { total, chunks } = await exportMeetings({ ...database, ...reading })({
      selection,
      columns: exportColumns,
      form: 'json',
      page: { offset, limit },
    });
    for await (const chunk of chunks) if (chunk.length === 0) throw new Error('an empty chunk');
    const [only] = statements;
    if (only === undefined || statements.length > 1 || total === null)
      throw new Error('a page must be one statement');
    return { statement: only, total };
  };
}

async function run(
  client: pg.Client,
  plan: PageRun['plan'],
  { text, values }: Statement,
): Promise<Omit<PageRun, 'page' | 'plan' | 'maxSortedRows'>> {
  await client.query(`SET plan_cache_mode = force_${plan}_plan`);
  await client.query(`PREPARE page AS ${translation(text).text}`);
  try {
    const execute = `EXECUTE page(${values.map(literal).join(', ')})`;
    let milliseconds = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const startedAt = performance.now();
      await client.query(execute);
      milliseconds = Math.min(milliseconds, performance.now() - startedAt);
    }
    const { rows } = await client.query(`EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON) ${execute}`);
    const [{ Plan }] = rows[0]['QUERY PLAN'] as readonly [{ readonly Plan: PlanNode }];
    const nodes = nodesOf(Plan);
    return {
      milliseconds,
      sortedRows: Math.max(0, ...nodes.filter((node) => /Sort$/.test(node['Node Type'])).map(rowsInto)),
      scans: nodes
        .filter((node) => readsAll(node) && /meeting/.test(node['Relation Name'] ?? '') && !isCounter(node))
        .map((node) => `${node['Node Type']} of ${node['Relation Name']}`),
    };
  } finally {
    await client.query('DEALLOCATE page; RESET plan_cache_mode');
  }
}

function literal(value: SqlValue): string {
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString());
  return typeof value === 'string' ? pg.escapeLiteral(value) : String(value);
}

/** Whether the table has one row for each organization. */
function isCounter(node: PlanNode): boolean {
  return /_counts$/.test(node['Relation Name'] ?? '');
}

/** A node and all nodes below it, except those that count. */
export function nodesOf(node: PlanNode): readonly PlanNode[] {
  const counts = node['Node Type'] === 'Aggregate' && /count\(/i.test(node.Output?.join() ?? '');
  return counts ? [] : [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function rowsInto({ Plans = [] }: PlanNode): number {
  return Math.max(
    ...Plans.filter((below) => below['Parent Relationship'] === 'Outer').map(
      (below) => (below['Actual Rows'] ?? 0) * (below['Actual Loops'] ?? 0),
    ),
  );
}
