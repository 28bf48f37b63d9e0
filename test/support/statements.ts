import { type ContractTest, limitsSuite, storageSuites } from '@rollcall/core/testing';
import type { Copy } from '#adapters/sql/engine/database.js';
import {
  adoptSecretKey,
  type Database,
  prune,
  type Snapshot,
  type Sql,
  sqlLimits,
} from '#adapters/sql/index.js';
import { systemClock } from '#adapters/system/clock.js';
import { startEmptyPostgresDatabase } from './postgres.js';
import { startSqliteDatabase, storageOver } from './storage.js';

const starts = { sqlite: startSqliteDatabase, postgres: startEmptyPostgresDatabase };

/** What was run. */
export interface Statements {
  readonly texts: ReadonlySet<string>;
  /** The ones whose rows were read by COPY. */
  readonly copied: ReadonlySet<string>;
}

/** The suites of all ports over one engine; the statements grow to hold every one that they run. */
export function recordedSuites(
  engine: Database['engine'],
): Statements & { readonly suites: readonly ContractTest[] } {
  const texts = new Set<string>();
  const copied = new Set<string>();
  const start = async () => {
    const { database, stop } = await starts[engine]();
    return { database: recorded(database, { texts, copied }), stop };
  };
  const suites = storageSuites(async () => storageOver(await start()));
  return { suites: [...suites, ...beside(start), ...countedFailures(engine, start)], texts, copied };
}

type Start = () => Promise<{ readonly database: Database; stop(): Promise<void> }>;

/** What runs beside the ports. */
function beside(start: Start): readonly ContractTest[] {
  return [
    {
      name: 'what is over is pruned, and a secret key noted',
      async run() {
        const { database, stop } = await start();
        try {
          await prune(database, { now: new Date(), deliveryRetentionDays: 30 });
          await adoptSecretKey(database, { current: 'one', known: ['one'], at: new Date() });
        } finally {
          await stop();
        }
      },
    },
  ];
}

/** Only PostgreSQL counts them in the database. */
function countedFailures(engine: Database['engine'], start: Start): readonly ContractTest[] {
  if (engine === 'sqlite') return [];
  const stops: (() => Promise<void>)[] = [];
  const suite = limitsSuite(async () => {
    const { database, stop } = await start();
    stops.push(stop);
    return { limits: sqlLimits(database, systemClock), pass: systemClock.pause };
  });
  return suite.map(({ name, run }) => ({
    name,
    run: () => run().finally(() => Promise.all(stops.splice(0).map((stop) => stop()))),
  }));
}

interface Recording {
  readonly texts: Set<string>;
  readonly copied: Set<string>;
}

function recorded(database: Database, { texts, copied }: Recording): Database {
  const seen = <Recorded extends Sql>(sql: Recorded): Recorded => ({
    ...sql,
    all: (text, values) => sql.all(noted(text), values),
    rows: (text, values) => sql.rows(noted(text), values),
    get: (text, values) => sql.get(noted(text), values),
    run: (text, values) => sql.run(noted(text), values),
  });
  const noted = (text: string): string => {
    texts.add(text);
    return text;
  };
  const seenWithCopy = (snapshot: Snapshot): Snapshot => {
    const { copy } = snapshot;
    if (copy === undefined) return seen(snapshot);
    const copyNoted: Copy = (text, ...rest) => {
      copied.add(text);
      return copy(text, ...rest);
    };
    return { ...seen(snapshot), copy: copyNoted };
  };
  return {
    ...database,
    read: seen(database.read),
    readAside: (organizationId) => seen(database.readAside(organizationId)),
    write: (work) => database.write((sql) => work(seen(sql))),
    snapshot: async (wanted) => seenWithCopy(await database.snapshot(wanted)),
  };
}
