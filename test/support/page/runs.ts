import { exportColumns } from '@rollcall/core/rules';
import pg from 'pg';
import type { SqlValue } from '#adapters/sql/engine/database.js';
import { exportMeetings } from '#adapters/sql/export/export-meetings.js';
import type { Database } from '#adapters/sql/index.js';
import { translation } from '#adapters/sql/postgres/query.js';

/** How PostgreSQL ran one page of the first organization, service meetings included. */
export interface PageRun {
  /** `past, eap, page 11` */
  readonly page: string;
  /** Made for these values, as the first times; or once for all. */
  readonly plan: 'custom' | 'generic';
  /** The best of a few. */
  readonly milliseconds: number;
  /** The most rows that were sorted. */
  readonly sorted: number;
  /** How many there may be: those of a page, with the ones before it if these are few or still to come. */
  readonly maySort: number;
  /** Nodes that read a table or an index from end to end, beside counts. */
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

/** Whether it reads a table or an index from end to end. */
export function readsAll(node: PlanNode): boolean {
  return /Seq Scan|Index (Only )?Scan/.test(node['Node Type']) && node['Index Cond'] === undefined;
}

/** Whether it takes longer the more there is, beside what lies before the page. */
export function isGrowing({ sorted, maySort, scans }: PageRun): boolean {
  return sorted > maySort || scans.length > 0;
}

const NOW = new Date('2026-11-20T18:00:00.000Z');
const TRIES = 3;
/** Pages before it are passed over from the front. */
const FIRST_DEEP = 11;

interface Asked {
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
      const selection = { organizationId: 1, withServiceMeetings: true, eapOnly, state };
      const ask = asker(database, { ...selection, now: NOW, starts: { from: null, before: null } }, perPage);
      const { total } = await ask(0);
      const pages = Math.ceil(total / perPage);
      for (const number of [1, FIRST_DEEP - 1, FIRST_DEEP, Math.ceil(pages / 2), pages]) {
        const page = `${state}${eapOnly ? ', eap' : ''}, page ${number}`;
        const maySort = (state === 'upcoming' ? Math.max(number, FIRST_DEEP) : FIRST_DEEP) * perPage;
        const { asked } = await ask((number - 1) * perPage);
        for (const plan of ['custom', 'generic'] as const)
          runs.push({ page, plan, maySort, ...(await run(client, plan, asked)) });
      }
    }
  }
  return runs;
}

type Selection = Parameters<ReturnType<typeof exportMeetings>>[0]['selection'];

/** Gives what a page asks of the database, and how many meetings there are. */
function asker(database: Database, selection: Selection, limit: number) {
  return async (offset: number): Promise<{ readonly asked: Asked; readonly total: number }> => {
    const asked: Asked[] = [];
    const all = <Row>(text: string, values: readonly SqlValue[] = []) => {
      asked.push({ text, values });
      return database.read.all<Row>(text, values);
    };
    const read = { ...database.read, all };
    const reading = { read, readAside: () => read };
    const { total, chunks } = await exportMeetings({ ...database, ...reading })({
      selection,
      columns: exportColumns,
      form: 'json',
      page: { offset, limit },
    });
    for await (const chunk of chunks) if (chunk.length === 0) throw new Error('an empty piece');
    const [only] = asked;
    if (only === undefined || asked.length > 1 || total === null) throw new Error('a page is one statement');
    return { asked: only, total };
  };
}

async function run(
  client: pg.Client,
  plan: PageRun['plan'],
  { text, values }: Asked,
): Promise<Omit<PageRun, 'page' | 'plan' | 'maySort'>> {
  await client.query(`SET plan_cache_mode = force_${plan}_plan`);
  await client.query(`PREPARE page AS ${translation(text).text}`);
  try {
    const execute = `EXECUTE page(${values.map(literal).join(', ')})`;
    let milliseconds = Number.POSITIVE_INFINITY;
    for (let tried = 0; tried < TRIES; tried += 1) {
      const begin = performance.now();
      await client.query(execute);
      milliseconds = Math.min(milliseconds, performance.now() - begin);
    }
    const { rows } = await client.query(`EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON) ${execute}`);
    const [{ Plan }] = rows[0]['QUERY PLAN'] as readonly [{ readonly Plan: PlanNode }];
    const nodes = nodesOf(Plan);
    return {
      milliseconds,
      sorted: Math.max(0, ...nodes.filter((node) => /Sort$/.test(node['Node Type'])).map(rowsInto)),
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

/** One row for each organization. */
function isCounter(node: PlanNode): boolean {
  return /_counts$/.test(node['Relation Name'] ?? '');
}

/** A node and all below it, without what counts. */
function nodesOf(node: PlanNode): readonly PlanNode[] {
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
