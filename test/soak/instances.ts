import type { FaultReport } from '../support/fault/audit.js';
import { deliverWithWrongClocks } from '../support/fault/clocks.js';
import { freezeBeforeSending } from '../support/fault/frozen.js';
import { killInstances } from '../support/fault/instances.js';
import { failTheDatabase, fillThePool, type OutageKind } from '../support/fault/outage.js';
import { type Part, runParts } from '../support/fault/parts.js';
import { restartInTurn } from '../support/fault/rolling.js';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.js';

/**
 * Several instances on one PostgreSQL with full counts, in about a quarter of an hour: `npm run test:soak -- instances`.
 * As a program, it takes words from the names of the parts to run: `node test/dist/soak/instances.js clocks hangs`.
 */
const parts: readonly Part[] = [
  {
    name: 'kill -9 of three instances in turn',
    maxSeconds: 300,
    run: onServer((server) => killInstances({ server, size: 3, people: 2000, kills: 20, waits: true })),
  },
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
