import pg from 'pg';
import { copyDatabase, type Database } from '#adapters/sql/index.js';
import { translation } from '#adapters/sql/postgres.js';
import { fillLarge } from './large-database.js';
import { startPostgresDatabase } from './postgres.js';
import { startSqliteDatabase } from './storage.js';

/** What a statement does that takes longer the more there is. */
export interface Growing {
  readonly text: string;
  /** As the plan says it. */
  readonly step: string;
}

/** Grows by itself when the service is used, or is imported. */
const growing = [
  'users',
  'memberships',
  'invitations',
  'login_links',
  'sessions',
  'meetings',
  'service_meeting_organizations',
  // Its name in the statements of the export.
  'ties',
  'registrations',
  'waitlist_entries',
  'deliveries',
  'attempts',
];

/** Steps that may grow, and why. Each is needed: one that no statement takes is told too. */
const allowed: Record<Database['engine'], readonly (readonly [text: RegExp, step: RegExp, why: string])[]> = {
  sqlite: [],
  postgres: [],
};

export interface PlanReport {
  readonly statements: number;
  readonly growing: readonly Growing[];
  /** The reasons of exceptions that no statement needs. */
  readonly unneeded: readonly string[];
}

/** Asks for the plan of each statement over a database with so many meetings. */
export async function lookAtPlans(
  engine: Database['engine'],
  texts: Iterable<string>,
  { meetings, seqscan }: { readonly meetings: number; readonly seqscan: 'on' | 'off' },
): Promise<PlanReport> {
  const statements = [...texts].filter((text) => /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(text));
  const found = await overLarge(engine, meetings, async (explain) => {
    const steps: Growing[] = [];
    for (const text of statements) {
      for (const step of await explain(text, seqscan)) steps.push({ text, step });
    }
    return steps;
  });
  const isAllowed = ({ text, step }: Growing): boolean =>
    allowed[engine].some(([texts, steps]) => texts.test(text) && steps.test(step));
  const unneeded = allowed[engine].filter(
    ([texts, steps]) => !found.some(({ text, step }) => texts.test(text) && steps.test(step)),
  );
  return {
    statements: statements.length,
    growing: found.filter((step) => !isAllowed(step)),
    unneeded: unneeded.map(([, , why]) => why),
  };
}

type Explain = (text: string, seqscan: 'on' | 'off') => Promise<readonly string[]>;

async function overLarge<Result>(
  engine: Database['engine'],
  meetings: number,
  work: (explain: Explain) => Promise<Result>,
): Promise<Result> {
  const sqlite = await startSqliteDatabase();
  try {
    await fillLarge(sqlite.database, meetings);
    if (engine === 'sqlite') return await work((text) => explainOnSqlite(sqlite.database, text));
    const postgres = await startPostgresDatabase();
    try {
      await copyDatabase({ from: sqlite.database, to: postgres.database });
      return await withClient(postgres.url, (client) =>
        work((text, seqscan) => explainOnPostgres(client, text, seqscan)),
      );
    } finally {
      await postgres.stop();
    }
  } finally {
    await sqlite.stop();
  }
}

async function explainOnSqlite({ read }: Database, text: string): Promise<readonly string[]> {
  const values = [...text.matchAll(/\?/g)].map(() => null);
  const rows = await read.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, values);
  return rows
    .map(({ detail }) => detail)
    .filter((detail) => {
      const [, table = ''] = /^SCAN (\w+)/.exec(detail) ?? [];
      return growing.includes(table) || /TEMP B-TREE FOR/.test(detail);
    });
}

async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url, query_timeout: 60_000 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Sort Key'?: readonly string[];
  readonly Plans?: readonly PlanNode[];
}

/** The plan that serves for all values. */
async function explainOnPostgres(
  client: pg.Client,
  text: string,
  seqscan: 'on' | 'off',
): Promise<readonly string[]> {
  await client.query(`SET enable_seqscan = ${seqscan}`);
  const { rows } = await client.query(
    `EXPLAIN (GENERIC_PLAN, FORMAT JSON, COSTS OFF) ${translation(text).text}`,
  );
  const [{ Plan }] = rows[0]['QUERY PLAN'] as readonly [{ readonly Plan: PlanNode }];
  return stepsOf(Plan);
}

function stepsOf(node: PlanNode): readonly string[] {
  const table = node['Relation Name'] ?? '';
  const type = node['Node Type'];
  const steps = (node.Plans ?? []).flatMap(stepsOf);
  if (/Sort/.test(type)) return [`${type} by ${node['Sort Key']?.join(', ')}`, ...steps];
  const readsAll = /Seq Scan|Index (Only )?Scan/.test(type) && node['Index Cond'] === undefined;
  if (!readsAll || !growing.includes(table)) return steps;
  return [
    `${type} of ${table}${node['Index Name'] === undefined ? '' : ` by ${node['Index Name']}`}`,
    ...steps,
  ];
}
