import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { eventName } from '#core/testing/subscribe.js';
import { linesOf, type Running, startProgram } from './fault/process.js';
import { withDatabase } from './opened-database.js';
import { clientAt, runOnServer, withClient } from './postgres-client.js';
import type { PostgresServer } from './postgres-server.js';
import { until } from './wait.js';

export interface DeliveryTrial {
  readonly server: PostgresServer;
  /** The number of organizations with waiting events. */
  readonly organizations: number;
  readonly events: number;
  readonly instances?: number;
  /** How long each request takes. */
  readonly sendingMs: number;
  /** How long the instances deliver. The rate is measured in the last `measuredSeconds`. */
  readonly seconds: number;
  readonly measuredSeconds: number;
  /** Whether a transaction keeps its snapshot open meanwhile, like pg_dump. */
  readonly oldSnapshot?: boolean;
}

const program = fileURLToPath(new URL('./delivery-instance.js', import.meta.url));
const FILL_TIMEOUT_MS = 120_000;
/** On a busy machine, a process can take long to start. */
const START_TIMEOUT_MS = 120_000;
let count = 0;

/** Deliveries per second of instances in separate processes, with a queue that never becomes empty. */
export async function deliveryRate(trial: DeliveryTrial): Promise<number> {
  const { server, instances = 1, sendingMs, seconds, measuredSeconds, oldSnapshot = false } = trial;
  count += 1;
  const name = `deliveries_${process.pid}_${count}`;
  await runOnServer(server.url(), `CREATE DATABASE ${name} TEMPLATE template0`);
  const url = server.url(name);
  const running: Running[] = [];
  const reader = clientAt(url);
  try {
    await withDatabase(url, (database) => database.migrate());
    await storeWaitingEvents(url, trial);
    await reader.connect();
    if (oldSnapshot) {
      await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await reader.query('SELECT count(*) FROM webhooks');
    }
    const env = {
      DATABASE_URL: url,
      PUBLIC_URL: 'http://127.0.0.1:3000',
      SECRET_KEY: 'the secret key of the delivery tests, 32+',
      SENDING_MS: String(sendingMs),
    };
    for (let index = 0; index < instances; index += 1)
      running.push(startProgram([process.execPath, program], { cwd: '/', env }));
    const haveStarted = () => running.every(({ stdout }) => /^[1-9]/m.test(stdout()));
    if (!(await until(haveStarted, START_TIMEOUT_MS))) throw new Error('an instance does not deliver');
    await pause((seconds - measuredSeconds) * 1000);
    const ended = () => running.reduce((sum, { stdout }) => sum + Number(linesOf(stdout()).at(-1) ?? 0), 0);
    const before = ended();
    await pause(measuredSeconds * 1000);
    const after = ended();
    const [left] = await runOnServer<{ n: number }>(
      url,
      `SELECT count(*)::int AS n FROM deliveries WHERE state = 'pending'`,
    );
    if ((left?.n ?? 0) === 0) throw new Error('the queue became empty before the end of the measurement');
    return (after - before) / measuredSeconds;
  } finally {
    await Promise.all(running.map((one) => one.stop('SIGKILL')));
    await reader.end();
    await runOnServer(server.url(), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }
}

/** Adds organizations with enabled webhooks, and waiting events in equal numbers for each. */
export function storeWaitingEvents(
  url: string,
  { organizations, events }: Pick<DeliveryTrial, 'organizations' | 'events'>,
): Promise<void> {
  const texts = [
    `INSERT INTO organizations (id, name, eap) SELECT n, 'Organization ' || n, false FROM generate_series(1, ${organizations}) AS n`,
    `INSERT INTO webhooks (organization_id, url, enabled, events, sealed_secret, created_at, updated_at)
    SELECT n, 'https://127.0.0.1/hook', true, '["${eventName}"]', repeat('s', 100), now(), now()
    FROM generate_series(1, ${organizations}) AS n`,
    `INSERT INTO deliveries (organization_id, event_id, event_name, body, created_at)
    SELECT 1 + n % ${organizations}, gen_random_uuid(), '${eventName}', repeat('b', 300), now()
    FROM generate_series(1, ${events}) AS n`,
    'ANALYZE',
  ];
  const store = async (client: pg.Client) => {
    for (const text of texts) await client.query(text);
  };
  return withClient(url, store, FILL_TIMEOUT_MS);
}
