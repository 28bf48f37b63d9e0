import type { ReadinessCheck } from '@rollcall/express';
import type { Database } from '@rollcall/sql';

/** Runs the checks that `/readyz` reports. */
export type Readiness = () => Promise<readonly ReadinessCheck[]>;

/** A database that has not answered within this time counts as unavailable. */
export const readinessDeadlineMs = 4_000;

const unreachable: readonly ReadinessCheck[] = [
  { name: 'database', state: 'failed' },
  { name: 'migrations', state: 'unknown' },
];

/** Probes at the same time share one query. */
export function readinessOf(
  database: Pick<Database, 'pendingMigrations' | 'replica' | 'writeProblem'>,
  deadlineMs = readinessDeadlineMs,
): Readiness {
  let checking: Promise<readonly ReadinessCheck[]> | null = null;

  async function check(): Promise<readonly ReadinessCheck[]> {
    try {
      const pending = await database.pendingMigrations();
      const problem = await database.writeProblem();
      return [
        problem === null
          ? { name: 'database', state: 'ok' }
          : { name: 'database', state: 'failed', reason: problem },
        { name: 'migrations', state: pending.length === 0 ? 'ok' : 'failed' },
      ];
    } catch {
      return unreachable;
    } finally {
      checking = null;
    }
  }

  return async () => {
    checking ??= check();
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<readonly ReadinessCheck[]>((resolve) => {
      timer = setTimeout(() => resolve(unreachable), deadlineMs);
    });
    const checks = await Promise.race([checking, deadline]).finally(() => clearTimeout(timer));
    return [...checks, ...replicaChecks(database)];
  };
}

function replicaChecks({ replica }: Pick<Database, 'replica'>): readonly ReadinessCheck[] {
  if (replica === undefined) return [];
  const state = replica.state() === 'serving' ? 'ok' : 'failed';
  return [{ name: 'replica', state, isInformational: true }];
}
