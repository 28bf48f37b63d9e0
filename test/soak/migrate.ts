import { setTimeout as pause } from 'node:timers/promises';
import {
  holdReadLock,
  startServedDatabase,
  type Written,
  writeDeliveries,
} from '../support/busy-database.js';
import { migrateLater } from '../support/later-migration.js';
import { endPostgres } from '../support/postgres.js';

/**
 * Runs a made-up migration over millions of deliveries while others write, and while a report holds a read
 * lock. As a program: `node test/dist/soak/migrate.js [deliveries] [seconds of the read lock]`.
 */
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
  const served = await startServedDatabase(deliveries);
  try {
    const reader = await served.connect();
    const writing = writeDeliveries(await served.connect());
    const lock = readLockSeconds > 0 ? await holdReadLock(reader, 'deliveries') : null;
    const waits: string[] = [];
    const startedAt = performance.now();
    const released = lock === null ? null : pause(readLockSeconds * 1000).then(() => lock.release());
    await migrateLater(served.url, { onWait: (text) => waits.push(text) });
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
    await served.stop();
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
