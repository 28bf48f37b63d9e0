import { deliveryRate } from '../support/delivery-rate.js';
import { startPostgresServer } from '../support/postgres-server.js';

/**
 * Measures the deliveries a second that instances on one PostgreSQL reach: undisturbed, while a transaction keeps its
 * snapshot open for a minute, with events of 10,000 organizations waiting, and with three instances instead of one.
 * As a program, it takes about eight minutes: `node test/dist/soak/deliveries.js`.
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
  // Each rate is compared with undisturbed runs of the same length just before and after it, because the tables grow
  // and the load of a shared machine changes.
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
    'deliveries a second at the end of 60 s, undisturbed': alone60.map(Math.round),
    'deliveries a second at the end of 25 s, undisturbed': alone25.map(Math.round),
    'deliveries a second at the end of 60 s, with an open snapshot': Math.round(snapshot),
    'deliveries a second, 10,000 organizations waiting': Math.round(many),
    'deliveries a second, 10,000 organizations and slow receivers, one instance': Math.round(one),
    'deliveries a second, 10,000 organizations and slow receivers, three instances': Math.round(three),
    'ratio, open snapshot to undisturbed': shares.snapshot,
    'ratio, 10,000 organizations to undisturbed': shares.many,
    'ratio, three instances to one': three / one,
  };
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  const isRight = shares.snapshot >= MIN_SHARE && shares.many >= MIN_SHARE && three > one;
  if (!isRight) process.exitCode = 1;
} finally {
  await server.remove();
}
