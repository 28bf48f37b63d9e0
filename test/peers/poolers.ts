import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../support/app-cli.js';
import { jsonRows, registration } from './dataset.js';
import type { Context, Group, Peer } from './peer.js';
import { EXPORT } from './product.js';
import { makeCalls } from './proxies.js';
import { deliver, setWebhook, startReceiver, webhookAt } from './receivers.js';

/** Starts a pooler in front of the database, and returns the URL of the database behind it. */
type Start = (context: Context, database: URL) => Promise<string>;

async function tryPooler(start: Start, context: Context): Promise<void> {
  const pooled = await start(context, new URL(context.databaseUrl));
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
}

const behind = (database: URL, port: number): string => {
  const url = new URL(database);
  url.port = String(port);
  return url.href;
};

const startPgBouncer =
  (mode: 'session' | 'transaction'): Start =>
  async (context, database) => {
    const port = await freePort();
    const [name, { username, password }] = [database.pathname.slice(1), database];
    const file = context.file(
      'pgbouncer.ini',
      `[databases]
${name} = host=127.0.0.1 port=${database.port} dbname=${name} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 20
server_login_retry = 1
`,
    );
    await context.serve(port, 'pgbouncer', ['-u', 'nobody', file]);
    return behind(database, port);
  };

const startPgpool: Start = async (context, database) => {
  const port = await freePort();
  const { username, password } = database;
  context.file('pool_passwd', `${username}:TEXT${password}\n`);
  const hba = context.file('pool_hba.conf', 'host all all 127.0.0.1/32 scram-sha-256\n');
  const pcp = context.file('pcp.conf', '');
  const file = context.file(
    'pgpool.conf',
    `backend_clustering_mode = 'raw'
listen_addresses = '127.0.0.1'
port = ${port}
pcp_listen_addresses = '127.0.0.1'
pcp_port = ${await freePort()}
socket_dir = '${context.cwd}'
pcp_socket_dir = '${context.cwd}'
wd_ipc_socket_dir = '${context.cwd}'
pid_file_name = '${context.cwd}/pgpool.pid'
logdir = '${context.cwd}'
backend_hostname0 = '127.0.0.1'
backend_port0 = ${database.port}
enable_pool_hba = on
pool_passwd = 'pool_passwd'
num_init_children = 40
max_pool = 1
`,
  );
  await context.serve(port, 'pgpool', ['-n', '-f', file, '-a', hba, '-F', pcp]);
  return behind(database, port);
};

const pooler = (name: string, debian: string, start: Start): Peer => ({
  ...{ name, debian: [debian], databases: ['postgres'] },
  run: (context) => tryPooler(start, context),
});

const DELAYED = 'events that commands store are sent within a second, not at once';

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
