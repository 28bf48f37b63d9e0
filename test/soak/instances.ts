import pg from 'pg';
import type { FaultReport } from '../support/fault/audit.js';
import { deliverWithWrongClocks } from '../support/fault/clocks.js';
import { failTheDatabase, fillThePool, type OutageKind } from '../support/fault/outage.js';
import { type Part, runParts } from '../support/fault/parts.js';
import { preparePostgresSite, untilFinal } from '../support/fault/postgres.js';
import { restartInTurn } from '../support/fault/rolling.js';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.js';
import { until } from '../support/wait.js';

/** An instance sends without asking again for half a minute after its claim. */
const FROZEN_MS = 31_000;
const TIMEOUT_MS = 120_000;
const takenOver = /"msg":"Delivery not sent: another instance has taken it over"/;

/**
 * An instance claims an event and is frozen before it can send it. Another one takes the event over and sends it. Then
 * the first one goes on.
 */
async function freezeBeforeSending({ server }: { readonly server: PostgresServer }): Promise<FaultReport> {
  const site = await preparePostgresSite({ server });
  const blocker = new pg.Client({ connectionString: site.databaseUrl });
  try {
    const { process: frozen } = await site.serve();
    await blocker.connect();
    await site.register({ email: 'first@example.test' });
    const isSent = await until(async () => site.receiver.requests.length === 1, TIMEOUT_MS);
    await untilFinal(site, TIMEOUT_MS);

    // An attempt reads the webhook first, which the lock prevents. So the event stays claimed and unsent.
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE webhooks IN ACCESS EXCLUSIVE MODE');
    await site.rows(`UPDATE deliveries SET state = 'pending', finished_at = NULL, claims = 0`);
    const isClaimed = await until(async () => {
      const [row] = await site.rows<{ state: string }>('SELECT state FROM deliveries');
      return row?.state === 'sending';
    }, TIMEOUT_MS);
    frozen.child.kill('SIGSTOP');
    const frozenAt = performance.now();
    await blocker.query('ROLLBACK');

    const other = await site.serve();
    await site.rows(`UPDATE deliveries SET claimed_at = claimed_at - interval '61 seconds'`);
    const end = await untilFinal(site, TIMEOUT_MS);
    await until(async () => performance.now() - frozenAt > FROZEN_MS, TIMEOUT_MS);
    frozen.child.kill('SIGCONT');
    const isLeft = await until(async () => takenOver.test(frozen.stdout()), TIMEOUT_MS);

    const attempts = await site.rows<{ outcome: string }>('SELECT outcome FROM attempts ORDER BY number');
    const codes = [(await frozen.stop()).code, (await other.process.stop()).code];
    const outcomes = attempts.map(({ outcome }) => outcome).join();
    return {
      counts: { received: site.receiver.requests.length, attempts: outcomes },
      problems: [
        ...(isSent ? [] : ['the first instance has sent nothing']),
        ...(isClaimed ? [] : ['the event was not claimed']),
        ...(end === null ? ['the other instance has not taken the event over'] : []),
        ...(isLeft ? [] : ['the frozen instance does not say that it leaves the event']),
        ...(site.receiver.requests.length === 2 ? [] : [`${site.receiver.requests.length} requests, not 2`]),
        ...(outcomes === 'delivered,interrupted,delivered' ? [] : [`the attempts are ${outcomes}`]),
        ...codes.filter((code) => code !== 0).map((code) => `an instance ended with ${code}`),
      ],
    };
  } finally {
    await blocker.end();
    await site.remove();
  }
}

/**
 * Several instances on one PostgreSQL with full counts, in about a quarter of an hour: `npm run test:soak -- instances`.
 * `histories` kills them.
 * As a program, it takes words from the names of the parts to run: `node test/dist/soak/instances.js clocks hangs`.
 */
const parts: readonly Part[] = [
  {
    name: 'PostgreSQL crashes five times',
    maxSeconds: 420,
    run: onServer((server) =>
      failTheDatabase({
        server,
        outages: outagesOf('crash', [3000, 90_000, 1000, 10_000, 3000]),
        waits: true,
      }),
    ),
  },
  {
    name: 'clocks that differ by five minutes',
    maxSeconds: 300,
    run: onServer((server) => deliverWithWrongClocks({ server, people: 1200, seconds: 120 })),
  },
  {
    name: 'an instance is frozen between its claim and sending',
    maxSeconds: 150,
    run: onServer((server) => freezeBeforeSending({ server })),
  },
  {
    name: 'PostgreSQL hangs',
    maxSeconds: 240,
    run: onServer((server) =>
      failTheDatabase({ server, outages: outagesOf('hang', [30_000, 8000]), waits: true }),
    ),
  },
  {
    name: 'every connection waits',
    maxSeconds: 120,
    run: onServer((server) => fillThePool({ server, heldMs: 30_000 })),
  },
  {
    name: 'rolling restart',
    maxSeconds: 240,
    run: onServer((server) => restartInTurn({ server, instances: 3, rounds: 2, perSecond: 100 })),
  },
];

function outagesOf(kind: OutageKind, lengths: readonly number[]) {
  return lengths.map((ms) => ({ kind, ms }));
}

/** Runs the part on its own server, which is as durable as one in production. */
function onServer(run: (server: PostgresServer) => Promise<FaultReport>): Part['run'] {
  return async () => {
    const server = await startPostgresServer({ durable: true });
    try {
      return await run(server);
    } finally {
      await server.remove();
    }
  };
}

await runParts(parts);
