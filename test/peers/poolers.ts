import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../support/app-cli.js';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.js';
import { guideBlock } from '../support/proxies.js';
import { jsonRows, registration } from './dataset.js';
import type { Context, Group, Peer } from './peer.js';
import { EXPORT, type Product } from './product.js';
import { makeCalls } from './proxies.js';
import { deliver, setWebhook, startReceiver, webhookAt } from './receivers.js';

/** Starts a pooler in front of a server, and returns its port. */
type Start = (context: Context, primary: PostgresServer) => Promise<number>;

async function tryPooler(start: Start, context: Context): Promise<void> {
  const primary = await startPostgresServer({ small: true });
  context.onEnd(() => primary.remove());
  const port = await start(context, primary);
  const pooled = primary.url().replace(`:${primary.port}/`, `:${port}/`);
  const product = await context.product({ DATABASE_URL: pooled });
  await makeCalls(product);
  for (const answer of await Promise.all([1, 2, 3].map(() => product.call(EXPORT))))
    assert.deepEqual(((await answer.json()) as { readonly meetings: object[] }).meetings, jsonRows);
  const receiver = await startReceiver(context);
  await setWebhook(product, { webhook: webhookAt(receiver.url), regenerate_secret: '1' });
  assert.deepEqual(await deliver(product, 'Zoë'), ['delivered', 204]);
  assert.equal((await fetch(`${product.origin}/readyz`)).status, 200);
  await product.store(registration);
  const stored = performance.now();
  while (receiver.received.length < 2) await pause(10);
  const delayMs = performance.now() - stored;
  assert.ok(delayMs < 3_000, `an event that a command stored was sent after ${delayMs} ms`);
  assert.deepEqual(product.log().match(/"level":[56]0.*/g), null);
  const outageMs = await restart(primary, product);
  assert.ok(outageMs < 5_000, `after a restart of PostgreSQL, the product was away for ${outageMs} ms`);
  await makeCalls(product);
}

/** How long after a restart of PostgreSQL the product was not ready. */
async function restart(server: PostgresServer, { origin }: Product): Promise<number> {
  const isReady = async (): Promise<boolean> => (await fetch(`${origin}/readyz`)).status === 200;
  await server.stop('fast');
  while (await isReady()) await pause(100);
  await pause(3_000);
  await server.start();
  const started = performance.now();
  while (!(await isReady())) {
    if (performance.now() - started > 60_000) return 60_000;
    await pause(100);
  }
  return performance.now() - started;
}

const startPgBouncer =
  (mode: 'session' | 'transaction'): Start =>
  async (context, primary) => {
    const port = await freePort();
    const { username, password } = new URL(primary.url());
    const file = context.file(
      'pgbouncer.ini',
      `[databases]
* = host=127.0.0.1 port=${primary.port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
${guideBlock('pgbouncer').replace('pool_mode = transaction', `pool_mode = ${mode}`)}`,
    );
    await context.serve(port, 'pgbouncer', ['-u', 'nobody', file]);
    return port;
  };

const startPgpool: Start = async (context, primary) => {
  const standby = await primary.startReplica();
  context.onEnd(() => standby.remove());
  const port = await freePort();
  const { username, password } = new URL(primary.url());
  context.file('pool_passwd', `${username}:TEXT${password}\n`);
  const hba = context.file('pool_hba.conf', 'host all all 127.0.0.1/32 scram-sha-256\n');
  const pcp = context.file('pcp.conf', '');
  const lines = guideBlock('pgpool').replace(
    /^(backend_hostname(\d)) = .*/gm,
    (_, name, index) =>
      `${name} = '127.0.0.1'\nbackend_port${index} = ${(index === '0' ? primary : standby).port}`,
  );
  const file = context.file(
    'pgpool.conf',
    `listen_addresses = '127.0.0.1'
port = ${port}
pcp_listen_addresses = '127.0.0.1'
pcp_port = ${await freePort()}
socket_dir = '${context.cwd}'
pcp_socket_dir = '${context.cwd}'
wd_ipc_socket_dir = '${context.cwd}'
pid_file_name = '${context.cwd}/pgpool.pid'
logdir = '${context.cwd}'
enable_pool_hba = on
pool_passwd = 'pool_passwd'
${lines}`,
  );
  await context.serve(port, 'pgpool', ['-n', '-f', file, '-a', hba, '-F', pcp]);
  return port;
};

const pooler = (name: string, debian: string, start: Start): Peer => ({
  ...{ name, debian: [debian], databases: ['postgres'] },
  run: (context) => tryPooler(start, context),
});

const DELAYED = 'events of commands wait up to a second';

export const poolerGroup: Group = {
  title: 'Poolers of PostgreSQL',
  tried:
    'Importing, migrating and serving behind it: the five calls of the README, three whole exports at once, which are compared, and a delivery; no error in the log.',
  peers: [
    { ...pooler('PgBouncer, `pool_mode = session`', 'pgbouncer', startPgBouncer('session')), but: DELAYED },
    {
      ...pooler('PgBouncer, `pool_mode = transaction`', 'pgbouncer', startPgBouncer('transaction')),
      but: DELAYED,
    },
    pooler('Pgpool-II', 'pgpool2', startPgpool),
  ],
};
