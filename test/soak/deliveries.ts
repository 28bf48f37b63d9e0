import { deliveryRate } from '../support/delivery-rate.js';
import { startPostgresServer } from '../support/postgres-server.js';

/**
 * How many deliveries a second instances reach that share a PostgreSQL: alone, beside a transaction that keeps its
 * snapshot open for a minute, with events of 10,000 organizations waiting, and three instances in the place of one.
 * As a program, some eight minutes: `node test/dist/soak/deliveries.js`.
 */
const MIN_SHARE = 0.8;

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const server = await startPostgresServer({ settings: ['autovacuum=on', 'shared_buffers=512MB'] });
try {
  const measured = { server, measuredSeconds: 15, events: 120_000 };
  const quick = { ...measured, organizations: 50, sendingMs: 20 };
  const slow = { ...measured, organizations: 10_000, sendingMs: 150, seconds: 20 };
  const undisturbed = (seconds: number) => deliveryRate({ ...quick, seconds });
  // Each is compared with the same number of seconds without the disturbance, measured just before and after it: the
  // tables grow meanwhile, and a machine that others share is not the same for long.
  const alone60 = [await undisturbed(60)];
  const snapshot = await deliveryRate({ ...quick, seconds: 60, oldSnapshot: true });
  alone60.push(await undisturbed(60));
  const alone25 = [await undisturbed(25)];
  const many = await deliveryRate({ ...quick, organizations: 10_000, seconds: 25 });
  alone25.push(await undisturbed(25));
  const shares = { snapshot: snapshot / mean(alone60), many: many / mean(alone25) };
  const one = await deliveryRate(slow);
  const three = await deliveryRate({ ...slow, instances: 3 });
  const report = {
    'a second, in the last of 60 s': alone60.map(Math.round),
    'a second, in the last of 25 s': alone25.map(Math.round),
    'a second, in the last of 60 s of an open snapshot': Math.round(snapshot),
    'a second, 10,000 organizations waiting': Math.round(many),
    'a second, 10,000 organizations and slow receivers, one instance': Math.round(one),
    'a second, the same, three instances': Math.round(three),
    'share with the snapshot': shares.snapshot,
    'share with 10,000 organizations': shares.many,
    'three instances in the place of one': three / one,
  };
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  const isRight = shares.snapshot >= MIN_SHARE && shares.many >= MIN_SHARE && three > one;
  if (!isRight) process.exitCode = 1;
} finally {
  await server.remove();
}
