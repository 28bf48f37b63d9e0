import { deliveryRate } from '../support/delivery-rate.js';
import { startPostgresServer } from '../support/postgres-server.js';

/**
 * How many deliveries a second instances reach that share a PostgreSQL: alone, beside a transaction that keeps its
 * snapshot open for a minute, with events of 10,000 organizations waiting, and three instances in the place of one.
 * As a program, some seven minutes: `node test/dist/soak/deliveries.js`.
 */
const LEAST_SHARE = 0.8;

const server = await startPostgresServer({ settings: ['autovacuum=on', 'shared_buffers=512MB'] });
try {
  const measured = { server, measuredSeconds: 15, events: 120_000 };
  const quick = { ...measured, organizations: 50, sendingMs: 20 };
  const slow = { ...measured, organizations: 10_000, sendingMs: 150, seconds: 20 };
  const undisturbed = () => deliveryRate({ ...quick, seconds: 25 });
  // Each is compared with what was measured just before and after it: a machine that others share is not the same for long.
  const before = await undisturbed();
  const snapshot = await deliveryRate({ ...quick, seconds: 60, oldSnapshot: true });
  const between = await undisturbed();
  const many = await deliveryRate({ ...quick, organizations: 10_000, seconds: 25 });
  const after = await undisturbed();
  const shares = {
    snapshot: (2 * snapshot) / (before + between),
    many: (2 * many) / (between + after),
  };
  const one = await deliveryRate(slow);
  const three = await deliveryRate({ ...slow, instances: 3 });
  const report = {
    'a second, one instance': [before, between, after].map(Math.round),
    'a second, in the last of 60 s of an open snapshot': Math.round(snapshot),
    'a second, 10,000 organizations waiting': Math.round(many),
    'a second, 10,000 organizations and slow receivers, one instance': Math.round(one),
    'a second, the same, three instances': Math.round(three),
    'share with the snapshot': shares.snapshot,
    'share with 10,000 organizations': shares.many,
    'three instances in the place of one': three / one,
  };
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  const isRight = shares.snapshot >= LEAST_SHARE && shares.many >= LEAST_SHARE && three > one;
  if (!isRight) process.exitCode = 1;
} finally {
  await server.remove();
}
