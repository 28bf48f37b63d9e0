import type { ReadinessCheck } from '#adapters/express/app.js';
import type { Database } from '#adapters/sql/index.js';

/** Milliseconds after which a database that does not answer is as good as away. */
const PATIENCE = 4_000;

const unreachable: readonly ReadinessCheck[] = [
  { name: 'database', state: 'failed' },
  { name: 'migrations', state: 'unknown' },
];

/** What `/readyz` tells. However many ask, the database is asked once at a time. */
export function readinessOf(
  database: Pick<Database, 'pendingMigrations' | 'replica'>,
  patience = PATIENCE,
): () => Promise<readonly ReadinessCheck[]> {
  let asking: Promise<readonly ReadinessCheck[]> | null = null;
  const withReplica = (checks: readonly ReadinessCheck[]): readonly ReadinessCheck[] => {
    if (database.replica === undefined) return checks;
    const state = database.replica.state() === 'serving' ? 'ok' : 'failed';
    return [...checks, { name: 'replica', state, isInformational: true }];
  };

  async function ask(): Promise<readonly ReadinessCheck[]> {
    try {
      const pending = await database.pendingMigrations();
      return [
        { name: 'database', state: 'ok' },
        { name: 'migrations', state: pending.length === 0 ? 'ok' : 'failed' },
      ];
    } catch {
      return unreachable;
    } finally {
      asking = null;
    }
  }

  return async () => {
    asking ??= ask();
    let timer: NodeJS.Timeout | undefined;
    const impatient = new Promise<readonly ReadinessCheck[]>((resolve) => {
      timer = setTimeout(() => resolve(unreachable), patience);
    });
    return withReplica(await Promise.race([asking, impatient]).finally(() => clearTimeout(timer)));
  };
}
