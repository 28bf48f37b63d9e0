import { type ContractTest, limitsSuite, storageSuites } from '@rollcall/core/testing';
import { systemClock } from '#adapters/node/system/clock.js';
import type { Copy } from '#adapters/sql/engine/database.js';
import { type Database, type Snapshot, type Sql, sqlLimits } from '#adapters/sql/index.js';
import { adoptSecretKey, prune } from '#adapters/sql/maintenance/index.js';
import { startEmptyPostgresDatabase } from './postgres.js';
import { startEmptySqliteDatabase, storageOver } from './storage.js';

const starts = { sqlite: startEmptySqliteDatabase, postgres: startEmptyPostgresDatabase };

/** The executed statements. */
export interface Statements {
  readonly texts: ReadonlySet<string>;
  /** The statements whose rows were read with COPY. */
  readonly copied: ReadonlySet<string>;
}

/** The suites of all ports over one engine. Each executed statement is added to the sets. */
export function recordedSuites(
  engine: Database['engine'],
): Statements & { readonly suites: readonly NamedTest[] } {
  const texts = new Set<string>();
  const copied = new Set<string>();
  const start = async () => {
    const { database, stop } = await starts[engine]();
    return { database: recorded(database, { texts, copied }), stop };
  };
  const suites = storageSuites(async () => storageOver(await start()));
  return { suites: [...suites, ...maintenance(start), ...countedFailures(engine, start)], texts, copied };
}

type NamedTest = Pick<ContractTest, 'name' | 'run'>;

type Start = () => Promise<{ readonly database: Database; stop(): Promise<void> }>;

/** Maintenance that is not part of a port. */
function maintenance(start: Start): readonly NamedTest[] {
  return [
    {
      name: 'old rows are pruned, and a secret key is adopted',
      async run() {
        const { database, stop } = await start();
        try {
          await prune(database, { now: new Date(), deliveryRetentionDays: 30, eventRetentionDays: 30 });
          await adoptSecretKey(database, { current: 'one', known: ['one'], at: new Date() });
        } finally {
          await stop();
        }
      },
    },
  ];
}

/** The suite of the limits, which only PostgreSQL counts in the database. */
function countedFailures(engine: Database['engine'], start: Start): readonly NamedTest[] {
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
  const recordedSql = <Recorded extends Sql>(sql: Recorded): Recorded => ({
    ...sql,
    all: (text, values) => sql.all(recordText(text), values),
    rows: (text, values) => sql.rows(recordText(text), values),
    get: (text, values) => sql.get(recordText(text), values),
    run: (text, values) => sql.run(recordText(text), values),
  });
  const recordText = (text: string): string => {
    texts.add(text);
    return text;
  };
  const recordedSnapshot = (snapshot: Snapshot): Snapshot => {
    const { copy } = snapshot;
    if (copy === undefined) return recordedSql(snapshot);
    const recordedCopy: Copy = (text, ...rest) => {
      copied.add(text);
      return copy(text, ...rest);
    };
    return { ...recordedSql(snapshot), copy: recordedCopy };
  };
  return {
    ...database,
    read: recordedSql(database.read),
    readAside: (organizationId) => recordedSql(database.readAside(organizationId)),
    write: (work) => database.write((sql) => work(recordedSql(sql))),
    snapshot: async (wanted) => recordedSnapshot(await database.snapshot(wanted)),
  };
}
