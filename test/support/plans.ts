import type pg from 'pg';
import type { Database } from '#adapters/sql/index.js';
import { transferDatabase } from '#adapters/sql/maintenance/index.js';
import { translation } from '#adapters/sql/postgres/query.js';
import { copiedWith } from './copied-rows.js';
import { type PageRun, type PlanNode, readsAll, runPages } from './export-page-runs.js';
import { fillLarge } from './large-database.js';
import { startPostgresDatabase } from './postgres.js';
import { withClient } from './postgres-client.js';
import type { Statements } from './statements.js';
import { startSqliteDatabase } from './storage.js';

/** A step of a statement whose cost grows with the data. */
interface GrowingStep {
  readonly text: string;
  /** The step in the words of the plan. */
  readonly step: string;
}

/** Tables that grow with use or by imports. */
const growingTables = [
  'users',
  'memberships',
  'invitations',
  'login_links',
  'sessions',
  'meetings',
  'service_meeting_organizations',
  // An alias in the statements of the export.
  'ties',
  'meeting_tombstones',
  'gone',
  'registrations',
  'waitlist_entries',
  'deliveries',
  'webhook_outcomes',
  // An alias of it.
  'outcomes',
  'events',
  'event_feeds',
  'attempts',
  'audit_entries',
  'api_calls',
  'calendar_feeds',
  'identities',
  'passkeys',
  'code_secrets',
  'directory_people',
  'directory_requests',
  'failure_counts',
];

type Exception = readonly [text: RegExp, step: RegExp, reason: string];

const onBoth: readonly Exception[] = [
  [
    /state = '(pending|sending)'/,
    /^(SCAN|Index (Only )?Scan of) deliveries (USING (COVERING )?INDEX|by) (pending|sending)_deliveries$/,
    'the index contains only waiting deliveries and those under way',
  ],
  [
    /FROM memberships JOIN organizations/,
    /ORDER BY|^Sort by organizations\.id$/,
    'the organizations of one user',
  ],
  [
    /FROM memberships JOIN users/,
    /ORDER BY|^(Incremental )?Sort by/,
    'a page of members is ordered by role and name, which are in two tables; it sorts the members of one organization',
  ],
  [
    /AS invitations LEFT JOIN users[\s\S]*ORDER BY (sort_key|lower)\(/,
    /ORDER BY|^(Incremental )?Sort by/,
    'no index has the order of names; it sorts the invitations of one organization, if an admin chooses this order',
  ],
  [
    /NOT is_active[\s\S]*ORDER BY user_name_key/,
    /ORDER BY$|^Sort by/,
    'those of one organization whom its directory has deactivated',
  ],
  [
    /(id|delivery_id) > \? AND (id|delivery_id) <= \? AND \(|WHERE (email = \?|user_uuid|memberships\.uuid|invited_by_user_id)|^SELECT min\(/,
    /./,
    'reads everything in steps or once; only when a person is erased or gets their data',
  ],
  [
    /WHERE (registrations\.|waitlist_entries\.|memberships\.)?(user_id|group_leader_id) = \?\s+ORDER BY|FROM memberships WHERE user_id = \?\)|deliveries\.id IN \(/,
    /ORDER BY$|LAST TERM|^(Incremental )?Sort by/,
    'the rows of one person',
  ],
  [
    /FROM sessions\s+WHERE user_id = \? AND (opened_at > \? AND seen_at > \?|hash <> \? AND .*)\s+ORDER BY/,
    /ORDER BY$|^Sort by/,
    'the sessions of one user, of the last twelve hours',
  ],
  [
    /^(SELECT sessions\.hash.* JOIN users ON users\.id = sessions\.user_id|DELETE FROM sessions)$/s,
    /\b(sessions|users)\b/,
    'ends the sessions of all users, when the operator asks for it',
  ],
  [
    /JOIN page ON true/,
    /(ORDER|GROUP) BY$|^Sort by/,
    'the upcoming places of one member, without the past ones',
  ],
  [
    /^SELECT id, created_at FROM deliveries/,
    /Sort by|LAST TERM OF ORDER BY|^(SCAN deliveries USING INDEX|Index Scan of deliveries by) (deliveries_by_time|held_deliveries)$/,
    'reads all matching deliveries, 5000 at a time',
  ],
  [/finished_at IS NULL/, /held_deliveries$/, 'the index contains only held deliveries'],
  [
    /SET revoked_at = expires_at|^SELECT 1 FROM invitations WHERE expires_at/,
    /expiring_invitations$|ORDER BY$|^Sort by (invitations(_1)?\.)?id$/,
    'the index contains only pending invitations that will expire; `prune` looks for those of all organizations',
  ],
  [/ AS hour, /, /GROUP BY$|^Sort by \(to_char\(/, 'the newest deliveries of one organization'],
  [/AS people\s+CROSS JOIN memberships/, /ORDER BY$|^Sort by/, 'the people in one meeting'],
  [
    /WITH found AS MATERIALIZED/,
    /ORDER BY$|^Sort by/,
    'a search, and the rare states, read the meetings of one organization, and sort those that they find',
  ],
  [
    /^WITH page AS|counted\.total|FROM sized WINDOW/,
    /^USE TEMP B-TREE FOR ORDER BY$|^Sort by (\w+\.start_time, \w+\.id above a limit|sized\.changed_at, sized\.id)$/,
    'the rows of one page',
  ],
  [
    /^WITH people_0 AS|WHERE entries\.id IN \(/,
    /ORDER BY$|TERMS? OF ORDER BY$|^(Incremental )?Sort by/,
    'a search reads the audit trail of one organization, and sorts the entries that it finds',
  ],
  [
    /^WITH added AS/,
    /ORDER BY$|^Sort by/,
    'the calls of one second, and of each of their organizations the 200 or a few more that are kept',
  ],
];

/** The allowed steps, with reasons. */
const allowed: Record<Database['engine'], readonly Exception[]> = {
  sqlite: [
    ...onBoth,
    [
      /^INSERT INTO organizations/,
      /^SCAN (sessions|login_links)$/,
      'only while a deferred foreign key is unresolved, which happens only during an import',
    ],
    [
      /LEFT JOIN attempts/,
      /^SCAN deliveries( USING INDEX deliveries_by_time)?$|LAST TERM OF ORDER BY/,
      'reads the newest deliveries until the list is full, and then the attempts of each',
    ],
    [/AS is_over/, /^SCAN \w+$/, 'reads in the order of the primary key, 500 rows at a time'],
  ],
  postgres: [
    ...onBoth,
    [
      /AS people ORDER BY uuid/,
      /^Sort by memberships\.uuid$/,
      'a page of the directory sorts the UUIDs of one organization',
    ],
    [
      /FROM invitations[\s\S]*string_to_array\(/,
      /^(Incremental )?Sort by/,
      'a search reads the invitations of one organization, and sorts those that it finds',
    ],
    [
      / AS newer, |^WITH newest AS| AS hour, /,
      /^Incremental Sort by deliveries(_1)?\.created_at/,
      'deliveries_by_organization has this order, apart from events of the same millisecond',
    ],
    [
      /NOT IN \('complete', 'cancel'\) AND \(\s+SELECT ties\.meeting_id/,
      /^Sort by "\*SELECT\* \d\w*"\.start_time.* above a limit$/,
      'sorts only as many upcoming service meetings as the page needs; the index has this order, but PostgreSQL does not recognize it',
    ],
    [
      /LEFT JOIN attempts/,
      /Sort by|deliveries_by_time$|^(Seq|Index) Scan of attempts/,
      'a list of at most 1000; without a known limit, PostgreSQL assumes a tenth of the table',
    ],
    [
      /AS seen_at FROM invitations\) AS invitations/,
      /^Sort by (invitations(_\d)?\.)?created_at/,
      'invitations_by_time has this order; without a known limit, PostgreSQL prefers to sort a tenth of a small table',
    ],
    [
      /FROM audit_entries AS entries\s+LEFT JOIN users/,
      /^Sort by entries\.at DESC, entries\.id DESC$/,
      'audit_entries_by_time has this order and is used for large tables; PostgreSQL prefers to sort a tenth of a small one',
    ],
    [/FOR UPDATE$/, /^Sort by id$/, 'the deliveries under way'],
    [
      /AS is_over/,
      /^Index Scan of \w+ by \w+_pkey$/,
      'reads in the order of the primary key, 500 rows at a time',
    ],
  ],
};

interface PlanReport {
  readonly statements: number;
  readonly growing: readonly GrowingStep[];
  /** Executed pages of the largest organization. */
  readonly pages: readonly PageRun[];
}

/** Examines the plan of each statement on a database with this many meetings. */
export async function examinePlans(
  engine: Database['engine'],
  { texts, copied }: Statements,
  options: { readonly meetings: number; readonly seqscan: 'on' | 'off'; readonly perPage: number },
): Promise<PlanReport> {
  const { meetings, seqscan, perPage } = options;
  const all = [...texts, ...copied].filter((text) => /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(text));
  const examined = async (explain: (text: string) => Promise<readonly string[]>) => {
    const growing: GrowingStep[] = [];
    for (const text of all) {
      const exceptions = allowed[engine].filter(([texts]) => texts.test(text));
      const steps = (await explain(text)).filter((step) => !exceptions.some(([, known]) => known.test(step)));
      growing.push(...steps.map((step) => ({ text, step })));
    }
    return { statements: all.length, growing };
  };
  const sqlite = await startSqliteDatabase();
  const postgres = engine === 'postgres' ? await startPostgresDatabase() : null;
  try {
    await fillLarge(sqlite.database, meetings);
    if (postgres === null)
      return { ...(await examined((text) => explainOnSqlite(sqlite.database, text))), pages: [] };
    const { database, url } = postgres;
    await transferDatabase({ from: sqlite.database, to: database });
    return await withClient(url, async (client) => {
      await countRows(client);
      const copySettings = await readCopySettings(database);
      const scans = `enable_seqscan = ${seqscan}`;
      const report = await examined((text) =>
        explainOnPostgres(client, text, [scans, ...(copied.has(text) ? copySettings : [])]),
      );
      // With few rows, reading and sorting all of them is as fast as reading some.
      await client.query(`SET ${scans}; SET enable_bitmapscan = ${seqscan}`);
      return { ...report, pages: await runPages(database, client, perPage) };
    });
  } finally {
    await postgres?.stop();
    await sqlite.stop();
  }
}

/** Tells the planner what there is, and fills the table that a transfer does not copy. */
async function countRows(client: pg.Client): Promise<void> {
  await client.query(
    `INSERT INTO failure_counts SELECT 'counter ' || id, 1, created_at FROM users ON CONFLICT DO NOTHING`,
  );
  // Autovacuum would do this within a minute: the planner needs to know which pages an index-only scan can skip. VACUUM
  // marks a page only if all its commits are on disk, including that of ANALYZE.
  await client.query('SET synchronous_commit = on');
  await client.query('ANALYZE');
  await client.query('VACUUM');
}

/** The planner settings during a copy, read by a copy. */
async function readCopySettings(database: Database): Promise<readonly string[]> {
  const { copy } = await database.snapshot();
  if (copy === undefined) throw new Error('the snapshot cannot copy rows');
  const query = `SELECT name || ' = ' || setting FROM pg_settings WHERE name LIKE 'enable%' AND setting <> boot_val`;
  const lines: string[] = [];
  for await (const chunk of copy(query, [], copiedWith('\n'))) lines.push(Buffer.from(chunk).toString());
  return lines.join('').trimEnd().split('\n');
}

async function explainOnSqlite({ read }: Database, text: string): Promise<readonly string[]> {
  const values = [...text.matchAll(/\?/g)].map(() => null);
  const rows = await read.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, values);
  return rows
    .map(({ detail }) => detail)
    .filter((detail) => {
      const [, table = ''] = /^SCAN (\w+)/.exec(detail) ?? [];
      return growingTables.includes(table) || /TEMP B-TREE FOR/.test(detail);
    });
}

/** Explains the generic plan, which is for all values. */
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

/** Whether the number of rows of the node is limited. */
function isLimited(node: PlanNode): boolean {
  const type = node['Node Type'];
  const inputs = inputsOf(node);
  const [outer, inner] = inputs;
  if (type === 'Nested Loop' && outer !== undefined && inner !== undefined)
    return (isLimited(outer) && isByKey(inner)) || (isOneRow(outer) && isLimited(inner));
  return type === 'Limit' || (/^(Append|Merge Append|Subquery Scan)$/.test(type) && inputs.every(isLimited));
}

/** Whether the node only evaluates expressions. */
function isOneRow(node: PlanNode): boolean {
  return node['Node Type'] === 'Result' && inputsOf(node).length === 0;
}

/** Whether the node returns at most one row each time. */
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
  if (!readsAll(node) || !growingTables.includes(table)) return steps;
  return [
    `${type} of ${table}${node['Index Name'] === undefined ? '' : ` by ${node['Index Name']}`}`,
    ...steps,
  ];
}
