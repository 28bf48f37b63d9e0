import pg from 'pg';
import { type Database, transferDatabase } from '#adapters/sql/index.js';
import { translation } from '#adapters/sql/postgres/query.js';
import { fillLarge } from './large-database.js';
import { type PageRun, type PlanNode, readsAll, runPages } from './page/runs.js';
import { startPostgresDatabase } from './postgres.js';
import type { Statements } from './statements.js';
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
  'audit_entries',
  'calendar_feeds',
  'failure_counts',
];

type Exception = readonly [text: RegExp, step: RegExp, why: string];

const underWay: Exception = [
  /state = '(pending|sending)'/,
  /^(SCAN|Index (Only )?Scan of) deliveries (USING (COVERING )?INDEX|by) (pending|sending)_deliveries$/,
  'the index holds those alone that wait or are under way',
];
const ofOnePerson: Exception = [
  /FROM memberships JOIN organizations/,
  /ORDER BY|^Sort by organizations\.id$/,
  'the organizations of one person',
];
const peopleByName: Exception = [
  /FROM memberships JOIN users/,
  /ORDER BY|^(Incremental )?Sort by/,
  'a page of people stands in the order of role and name, which are in two tables: the members of one organization',
];
const ofOneMember: Exception = [
  /AS places ON true/,
  /ORDER BY$|^Sort by/,
  'the upcoming places of one member, however many there were before',
];
const toBeChanged: Exception = [
  /^SELECT id, created_at FROM deliveries/,
  /Sort by|LAST TERM OF ORDER BY|^(SCAN deliveries USING INDEX|Index Scan of deliveries by) (deliveries_by_time|held_deliveries)$/,
  'all that match are wanted, 5000 at a time',
];
const held: Exception = [
  /finished_at IS NULL/,
  /held_deliveries$/,
  'the index holds those alone that are held',
];
const ofOnePage: Exception = [
  /^WITH page AS/,
  /^USE TEMP B-TREE FOR group_concat\(ORDER BY\)$|^Sort by (first|last)_ones\.start_time, \w+\.id above a limit$/,
  'the rows of one page, which come from its end or from its beginning',
];
/** Steps that may stay, and why. */
const allowed: Record<Database['engine'], readonly Exception[]> = {
  sqlite: [
    underWay,
    ofOnePerson,
    peopleByName,
    ofOneMember,
    ofOnePage,
    toBeChanged,
    held,
    [
      /^INSERT INTO organizations/,
      /^SCAN (sessions|login_links)$/,
      'only while a reference waits to be fulfilled, which none does outside an import',
    ],
    [
      /LEFT JOIN attempts/,
      /^SCAN deliveries( USING INDEX deliveries_by_time)?$|LAST TERM OF ORDER BY/,
      'the newest first until the list is full, and then the attempts of each',
    ],
    [/AS is_over/, /^SCAN \w+$/, 'along the key, 500 rows at a time'],
  ],
  postgres: [
    underWay,
    ofOnePerson,
    peopleByName,
    ofOneMember,
    ofOnePage,
    toBeChanged,
    held,
    [
      /NOT IN \('complete', 'cancel'\) AND \(\s+SELECT ties\.meeting_id/,
      /^Sort by "\*SELECT\* \d\w*"\.start_time.* above a limit$/,
      'so many meetings of the service that are still to come as the page needs: the index has them in this order, which PostgreSQL does not see',
    ],
    [
      /LEFT JOIN attempts/,
      /Sort by|deliveries_by_time$|^(Seq|Index) Scan of attempts/,
      'a list of at most 1000; where the limit is not known, a tenth of the table is thought to be wanted',
    ],
    [
      /FROM invitations LEFT JOIN users/,
      /^Sort by invitations\.created_at DESC/,
      'invitations_by_time has this order; where the limit is not known, sorting a tenth of few is thought cheaper',
    ],
    [
      /FROM audit_entries AS entries LEFT JOIN users/,
      /^Sort by entries\.at DESC, entries\.id DESC$/,
      'audit_entries_by_time has this order, and is taken where there are many; sorting a tenth of few is thought cheaper',
    ],
    [/FOR UPDATE$/, /^Sort by id$/, 'those under way'],
    [/AS is_over/, /^Index Scan of \w+ by \w+_pkey$/, 'along the key, 500 rows at a time'],
  ],
};

export interface PlanReport {
  readonly statements: number;
  readonly growing: readonly Growing[];
  /** Pages of the largest organization as they really ran. */
  readonly pages: readonly PageRun[];
}

export interface LookAtPlans {
  readonly meetings: number;
  readonly seqscan: 'on' | 'off';
  readonly perPage: number;
}

/** Asks for the plan of each statement over a database with so many meetings. */
export async function lookAtPlans(
  engine: Database['engine'],
  { texts, copied }: Statements,
  { meetings, seqscan, perPage }: LookAtPlans,
): Promise<PlanReport> {
  const all = [...texts, ...copied].filter((text) => /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(text));
  const isAllowed = ({ text, step }: Growing): boolean =>
    allowed[engine].some(([texts, steps]) => texts.test(text) && steps.test(step));
  return overLarge({ engine, meetings, seqscan }, async ({ explain, pages }) => {
    const found: Growing[] = [];
    for (const text of all) {
      for (const step of await explain(text, copied.has(text))) found.push({ text, step });
    }
    const growing = found.filter((step) => !isAllowed(step));
    return { statements: all.length, growing, pages: await pages(perPage) };
  });
}

/** A database with much in it. */
interface Large {
  readonly explain: (text: string, isCopied: boolean) => Promise<readonly string[]>;
  readonly pages: (perPage: number) => Promise<readonly PageRun[]>;
}

async function overLarge<Result>(
  { engine, meetings, seqscan }: Omit<LookAtPlans, 'perPage'> & { readonly engine: Database['engine'] },
  work: (large: Large) => Promise<Result>,
): Promise<Result> {
  const sqlite = await startSqliteDatabase();
  try {
    await fillLarge(sqlite.database, meetings);
    const explain: Large['explain'] = (text) => explainOnSqlite(sqlite.database, text);
    if (engine === 'sqlite') return await work({ explain, pages: async () => [] });
    const postgres = await startPostgresDatabase();
    try {
      await transferDatabase({ from: sqlite.database, to: postgres.database });
      return await withClient(postgres.url, (client) =>
        onPostgres({ database: postgres.database, client, seqscan }, work),
      );
    } finally {
      await postgres.stop();
    }
  } finally {
    await sqlite.stop();
  }
}

interface OnPostgres {
  readonly database: Database;
  readonly client: pg.Client;
  readonly seqscan: 'on' | 'off';
}

async function onPostgres<Result>(
  { database, client, seqscan }: OnPostgres,
  work: (large: Large) => Promise<Result>,
): Promise<Result> {
  await client.query(
    `INSERT INTO failure_counts SELECT 'counter ' || id, 1, created_at FROM users ON CONFLICT DO NOTHING`,
  );
  // As the server does by itself within a minute: the planner asks which rows need not be looked up. That a row
  // needs not is found only when all that was committed is on disk, also what ANALYZE itself has just committed.
  await client.query('SET synchronous_commit = on');
  await client.query('ANALYZE');
  await client.query('VACUUM');
  const ofCopies = await settingsOfCopies(database);
  return work({
    explain: (text, isCopied) =>
      explainOnPostgres(client, text, [`enable_seqscan = ${seqscan}`, ...(isCopied ? ofCopies : [])]),
    async pages(perPage) {
      // Of few rows all are read and sorted as fast as some.
      await client.query(`SET enable_seqscan = ${seqscan}; SET enable_bitmapscan = ${seqscan}`);
      return runPages(database, client, perPage);
    },
  });
}

/** What the planner is told while rows are copied, as a copy says it. */
async function settingsOfCopies(database: Database): Promise<readonly string[]> {
  const { copy } = await database.snapshot();
  if (copy === undefined) throw new Error('nothing is copied');
  const told = `SELECT name || ' = ' || setting FROM pg_settings WHERE name LIKE 'enable%' AND setting <> boot_val`;
  const lines: string[] = [];
  for await (const piece of copy(told, [], (row) => `${row}\n`)) lines.push(Buffer.from(piece).toString());
  return lines.join('').trimEnd().split('\n');
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

/** The plan that serves for all values. */
async function explainOnPostgres(
  client: pg.Client,
  text: string,
  settings: readonly string[],
): Promise<readonly string[]> {
  await client.query(['BEGIN', ...settings.map((setting) => `SET LOCAL ${setting}`)].join('; '));
  const { rows } = await client.query(
    `EXPLAIN (GENERIC_PLAN, FORMAT JSON, COSTS OFF) ${translation(text).text}`,
  );
  await client.query('ROLLBACK');
  const [{ Plan }] = rows[0]['QUERY PLAN'] as readonly [{ readonly Plan: PlanNode }];
  return stepsOf(Plan);
}

/** Whether it gives no more rows than some limits together. */
function isLimited(node: PlanNode): boolean {
  const type = node['Node Type'];
  const inputs = inputsOf(node);
  const [outer, inner] = inputs;
  if (type === 'Nested Loop' && outer !== undefined && inner !== undefined)
    return isLimited(outer) && isByKey(inner);
  return type === 'Limit' || (/^(Append|Merge Append|Subquery Scan)$/.test(type) && inputs.every(isLimited));
}

/** Whether it gives one row at the most each time. */
function isByKey(node: PlanNode): boolean {
  return (
    node['Index Name'] === 'meetings_pkey' ||
    (node['Node Type'] === 'Memoize' && inputsOf(node).every(isByKey))
  );
}

function inputsOf({ Plans = [] }: PlanNode): readonly PlanNode[] {
  return Plans.filter((below) => !/^(InitPlan|SubPlan)$/.test(below['Parent Relationship'] ?? ''));
}

function stepsOf(node: PlanNode): readonly string[] {
  const table = node['Relation Name'] ?? '';
  const type = node['Node Type'];
  const steps = (node.Plans ?? []).flatMap(stepsOf);
  if (/Sort/.test(type)) {
    const above = inputsOf(node).every(isLimited) ? ' above a limit' : '';
    return [`${type} by ${node['Sort Key']?.join(', ')}${above}`, ...steps];
  }
  if (!readsAll(node) || !growing.includes(table)) return steps;
  return [
    `${type} of ${table}${node['Index Name'] === undefined ? '' : ` by ${node['Index Name']}`}`,
    ...steps,
  ];
}
