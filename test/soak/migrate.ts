import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '#adapters/sql/index.js';
import { endPostgres } from '../support/postgres.js';
import {
  holdReadLock,
  startEarlierDatabase,
  type Written,
  writeDeliveries,
} from '../support/served-migration.js';

/**
 * Migrates a database of release 0.1.0 with millions of deliveries while others write, and while a report holds a read
 * lock. As a program: `node test/dist/soak/migrate.js [deliveries] [seconds of the read lock]`.
 */
const FIRST = '0001-schema';
const MAX_BLOCKED_MS = 500;

interface MigrateReport extends Written {
  readonly deliveries: number;
  readonly readLockSeconds: number;
  readonly migratedSeconds: number;
  readonly waits: readonly string[];
}

async function migrateWhileWriting({
  deliveries,
  readLockSeconds,
}: Pick<MigrateReport, 'deliveries' | 'readLockSeconds'>): Promise<MigrateReport> {
  const earlier = await startEarlierDatabase({ last: FIRST, deliveries });
  const database = await openDatabase(earlier.url);
  try {
    const reader = await earlier.connect();
    const writing = writeDeliveries(await earlier.connect());
    const lock = readLockSeconds > 0 ? await holdReadLock(reader, 'deliveries') : null;
    const waits: string[] = [];
    const startedAt = performance.now();
    const released = lock === null ? null : pause(readLockSeconds * 1000).then(() => lock.release());
    await database.migrate({ onWait: (text) => waits.push(text) });
    const migratedSeconds = Math.round((performance.now() - startedAt) / 100) / 10;
    await released;
    return {
      deliveries,
      readLockSeconds,
      migratedSeconds,
      ...(await writing.end()),
      waits: waits.slice(0, 2),
    };
  } finally {
    await database.close();
    await earlier.stop();
  }
}

const [deliveries = 2_000_000, readLockSeconds = 20] = process.argv.slice(2).map(Number);
try {
  for (const seconds of [0, readLockSeconds]) {
    const report = await migrateWhileWriting({ deliveries, readLockSeconds: seconds });
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    if (report.maxWaitMs > MAX_BLOCKED_MS || report.failed.length > 0) process.exitCode = 1;
  }
} finally {
  await endPostgres();
}
