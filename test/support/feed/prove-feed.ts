import { setTimeout as pause } from 'node:timers/promises';
import type { FeedCursor, FeedExpired, FeedPage, FeedQuery } from '@rollcall/core';
import { type Database, openDatabase } from '#adapters/sql/index.js';
import type { FaultReport } from '../fault/audit.js';
import { type ForkedInstance, forkInstance } from '../forked-instance.js';
import { type Random, randomNumbers } from '../random-numbers.js';
import { type Fault, ORGANIZATION_ID, type Result, type Task } from './messages.js';

export interface FeedRounds {
  /** A migrated, empty database. */
  readonly url: string;
  readonly rounds: number;
  /** One instance is killed in every such round. */
  readonly killEvery: number;
  /** The maximum time for which a transaction is held open before its commit. */
  readonly maxHoldMs: number;
  readonly seed: number;
  readonly fault?: Fault;
}

const INSTANCES = 3;
const READERS = 3;
const MAX_REGISTRATIONS = 6;

/**
 * In each round, three instances register people at the same time, in transactions that are held open and so are
 * committed in another order than they began. Readers continue where they were, each page at an instance of their
 * choice. In some rounds an instance is killed. Then every reader must have seen every committed event exactly once, in
 * the same order.
 */
export async function proveFeed(options: FeedRounds): Promise<FaultReport> {
  const { url, rounds, killEvery, seed } = options;
  const random = randomNumbers(seed);
  const database = await openDatabase(url);
  const site = await startSite(options);
  const readers = Array.from({ length: READERS }, () => newReader());
  const acknowledged = new Set<number>();
  const problems: string[] = [];
  let attempted = 0;
  let kills = 0;
  try {
    await database.write((sql) =>
      sql.run('INSERT INTO organizations (id, name, eap) VALUES (?, ?, ?)', [ORGANIZATION_ID, 'One', false]),
    );
    for (let round = 1; round <= rounds && problems.length === 0; round += 1) {
      let isOver = false;
      const numbers = Array.from(
        { length: 1 + random(MAX_REGISTRATIONS) },
        (_, index) => attempted + 1 + index,
      );
      attempted += numbers.length;
      const reading = readers.map((reader) => follow(reader, { site, random, isOver: () => isOver }));
      const registering = numbers.map(async (number) => {
        await pause(random(4));
        const task = { kind: 'register', number, holdMs: random(options.maxHoldMs + 1) } as const;
        if (await site.some(random).run(task).catch(ifKilled)) acknowledged.add(number);
      });
      if (round % killEvery === 0) {
        await pause(random(options.maxHoldMs + 4));
        await site.killOne(random);
        kills += 1;
      }
      await Promise.all(registering);
      isOver = true;
      await Promise.all(reading);
      problems.push(...missingIn(readers, acknowledged).map((problem) => `round ${round}: ${problem}`));
    }
    const committed = await membersOf(database);
    const late = newReader();
    for (const reader of [...readers, late]) await follow(reader, { site, random, isOver: () => true });
    problems.push(...(await finalProblems([...readers, late], { committed, acknowledged, site, random })));
    return {
      counts: {
        registrations: attempted,
        acknowledged: acknowledged.size,
        committed: committed.size,
        'committed out of order': outOfOrder(late.seen),
        kills,
        reads: readers.reduce((sum, { reads }) => sum + reads, 0),
      },
      problems,
    };
  } finally {
    await site.stop();
    await database.close();
  }
}

// ── Instances ──────────────────────────────────────────────────────────────────────────────────────────────

type Instance = ForkedInstance<Task, Result>;
type Site = Awaited<ReturnType<typeof startSite>>;

async function startSite({ url, fault }: Pick<FeedRounds, 'url' | 'fault'>) {
  const program = new URL(import.meta.resolve('#app/bundle/feed-process.js'));
  const start = (): Promise<Instance> =>
    forkInstance(program, [url, ...(fault === undefined ? [] : [fault])]);
  const instances = await Promise.all(Array.from({ length: INSTANCES }, start));
  return {
    some: (random: Random) => instances[random(INSTANCES)] as Instance,
    async killOne(random: Random): Promise<void> {
      const index = random(INSTANCES);
      const killed = instances[index];
      await killed?.kill();
      instances[index] = await start();
    },
    async stop(): Promise<void> {
      await Promise.all(instances.map((instance) => instance.kill()));
    },
  };
}

function ifKilled(error: unknown): false {
  if (error instanceof Error && error.message === 'killed') return false;
  throw error;
}

// ── Readers ────────────────────────────────────────────────────────────────────────────────────────────────

interface Reader {
  after: FeedCursor | null;
  /** The numbers of the events in the order in which the reader got them. */
  readonly seen: number[];
  reads: number;
}

function newReader(): Reader {
  return { after: null, seen: [], reads: 0 };
}

interface Following {
  readonly site: Site;
  readonly random: Random;
  readonly isOver: () => boolean;
}

/** Reads on at random times until the round is over, and then to the end. */
async function follow(reader: Reader, { site, random, isOver }: Following): Promise<void> {
  for (;;) {
    const isLast = isOver();
    const limit = 1 + random(isLast ? 1000 : 4);
    const page = await readPage({ site, random }, { after: reader.after, order: 'asc', limit });
    if (page !== false) {
      if ('oldest' in page) throw new Error(`the place ${JSON.stringify(reader.after)} is expired`);
      reader.reads += 1;
      reader.seen.push(...page.events.map(({ body }) => Number(body)));
      reader.after = page.next;
      if (isLast && !page.hasMore) return;
    }
    if (!isLast) await pause(random(5));
  }
}

/** False: the instance was killed. */
async function readPage(
  { site, random }: Pick<Following, 'site' | 'random'>,
  query: Pick<FeedQuery, 'after' | 'order' | 'limit'>,
): Promise<FeedPage | FeedExpired | false> {
  const task = { kind: 'read', query: { organizationId: ORGANIZATION_ID, ...query } } as const;
  return (await site.some(random).run(task).catch(ifKilled)) as FeedPage | FeedExpired | false;
}

// ── Checks ─────────────────────────────────────────────────────────────────────────────────────────────────

/** The acknowledged events that a reader has not got although it has read to the end, and those that it got twice. */
function missingIn(readers: readonly Reader[], acknowledged: ReadonlySet<number>): readonly string[] {
  return readers.flatMap(({ seen }, index) => {
    const got = new Set(seen);
    const missing = [...acknowledged].filter((number) => !got.has(number));
    const twice = seen.filter((number, at) => seen.indexOf(number) !== at);
    return [
      ...(missing.length > 0 ? [`reader ${index + 1} has skipped ${missing.join(', ')}`] : []),
      ...(twice.length > 0 ? [`reader ${index + 1} got ${twice.join(', ')} twice`] : []),
    ];
  });
}

async function finalProblems(
  readers: readonly Reader[],
  {
    committed,
    acknowledged,
    ...asked
  }: {
    readonly committed: ReadonlySet<number>;
    readonly acknowledged: ReadonlySet<number>;
  } & Pick<Following, 'site' | 'random'>,
): Promise<readonly string[]> {
  const problems = [...missingIn(readers, committed)];
  const lost = [...acknowledged].filter((number) => !committed.has(number));
  if (lost.length > 0) problems.push(`acknowledged and lost: ${lost.join(', ')}`);
  const [first, ...others] = readers.map(({ seen }) => seen);
  for (const [index, other] of others.entries())
    if (other.join() !== first?.join()) problems.push(`reader ${index + 2} has another order than reader 1`);
  const unknown = first?.filter((number) => !committed.has(number)) ?? [];
  if (unknown.length > 0) problems.push(`read and not committed: ${unknown.join(', ')}`);

  const backwards: number[] = [];
  for (let after: FeedCursor | null = null; ; ) {
    const page = await readPage(asked, { after, order: 'desc', limit: 1000 });
    if (page === false || 'oldest' in page) return [...problems, 'newest first could not be read'];
    backwards.push(...page.events.map(({ body }) => Number(body)));
    after = page.next;
    if (!page.hasMore) break;
  }
  if (backwards.reverse().join() !== first?.join()) problems.push('newest first is another order');
  return problems;
}

async function membersOf({ read }: Database): Promise<ReadonlySet<number>> {
  const rows = await read.all<{ last_name: string }>(
    'SELECT last_name FROM memberships JOIN users ON users.id = memberships.user_id',
  );
  return new Set(rows.map(({ last_name }) => Number(last_name)));
}

/** The number of events that come after one whose registration began later. */
function outOfOrder(seen: readonly number[]): number {
  let largest = 0;
  return seen.filter((number) => {
    largest = Math.max(largest, number);
    return number < largest;
  }).length;
}
