import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Secret } from '@rollcall/core';
import pg from 'pg';
import { prepareSite } from '../support/fault/service.js';
import { pageClient } from '../support/page/client.js';
import { startPostgresServer } from '../support/postgres-server.js';
import {
  type ApiRequest,
  type Attempt,
  floodWith,
  send,
  signIns,
  wrongKeys,
} from '../support/sign-in-flood.js';

/**
 * Measures how much floods of sign-ins and of wrong access keys slow down all other clients on PostgreSQL. It times the
 * requests of an organization without a flood and during each flood, in one run. As a program:
 * `node test/dist/soak/sign-in-flood.js [attempts a second] [seconds of each flood]`.
 */
const [rate = 600, seconds = 10] = process.argv.slice(2).map(Number);

/** Milliseconds that a flood may add to the median of other requests. */
const MAX_ADDED_MS = 10;
/** Rows that a flood may write before it is refused. */
const MAX_WRITES = 500;
const CONNECTIONS = 32;

const password = 'nobody else knows this';
const owner = 'owner@example.test';
const victim = 'victim@example.test';

const server = await startPostgresServer({ durable: true });
const site = await prepareSite({ databaseUrl: server.url() });
const database = new pg.Client({ connectionString: server.url() });
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
const others = new Agent({ keepAlive: true, maxSockets: 1 });
try {
  await site.embedded(async (core) => {
    for (const email of [owner, victim]) {
      await core.addUser({ email, firstName: 'A', lastName: 'B', password: new Secret(password) });
    }
  });
  await database.connect();
  await site.serve({ env: { TRUST_PROXY: '1' } });
  const api = await apiRequest();
  const from = { url: site.url, origin: site.url };
  await timesDuring(api, async () => pause(2000));
  const quiet = await timesDuring(api, async () => pause(seconds * 1000));
  const floods = {
    'one account, then refused': await flooded(api, await signIns(from, () => victim)),
    'ever new accounts, the service is busy': await flooded(
      api,
      await signIns(from, (index) => `nobody-${index}@example.test`),
    ),
    'wrong access keys from one /64, then refused': await flooded(api, wrongKeys),
  };
  const mayStillSignIn = await signsIn();
  const added = Object.values(floods).map(({ p50 }) => p50 - quiet.p50);
  const isRight = {
    others: added.every((milliseconds) => milliseconds <= MAX_ADDED_MS),
    writes:
      floods['one account, then refused'].writes <= MAX_WRITES &&
      floods['wrong access keys from one /64, then refused'].writes <= MAX_WRITES,
    owner: mayStillSignIn,
  };
  process.stdout.write(`${JSON.stringify({ rate, seconds, quiet, floods, isRight }, null, 2)}\n`);
  if (Object.values(isRight).includes(false)) process.exitCode = 1;
} finally {
  agent.destroy();
  others.destroy();
  await database.end();
  await site.remove();
  await server.remove();
}

async function apiRequest(): Promise<ApiRequest> {
  const [organization] = site.organizations;
  const answer = await fetch(`${site.url}/api/v2/authenticate`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ access_key: organization?.accessKey }),
  });
  const { token } = (await answer.json()) as { readonly token: string };
  const path = `/api/v2/organizations/${organization?.id}/webhook`;
  return { method: 'GET', path, headers: { Authorization: `Bearer ${token}` } };
}

async function flooded(api: ApiRequest, attempt: Attempt) {
  process.stderr.write('Flooding…\n');
  const before = await writes();
  let statuses: Readonly<Record<number, number>> = {};
  const times = await timesDuring(api, async () => {
    statuses = await floodWith({ agent, port: site.port }, { attempt, rate, seconds });
  });
  return { ...times, statuses, writes: (await writes()) - before };
}

/** The times of an organization's requests, sent one after the other while the work runs. */
async function timesDuring(api: ApiRequest, work: () => Promise<void>) {
  let isOver = false;
  const working = work().finally(() => {
    isOver = true;
  });
  const times: number[] = [];
  while (!isOver) {
    const start = performance.now();
    const status = await send({ agent: others, port: site.port }, api);
    if (status !== 200) throw new Error(`An organization's request was answered with ${status}`);
    times.push(performance.now() - start);
    await pause(5);
  }
  await working;
  times.sort((one, other) => one - other);
  const at = (part: number): number => Math.round((times[Math.floor(times.length * part)] ?? 0) * 10) / 10;
  return { requests: times.length, p50: at(0.5), p99: at(0.99) };
}

/** Rows of failures that were written so far. The server's statistics are about a second late. */
async function writes(): Promise<number> {
  await pause(2500);
  const { rows } = await database.query(
    "SELECT n_tup_ins + n_tup_upd AS count FROM pg_stat_user_tables WHERE relname = 'failure_counts'",
  );
  return Number(rows[0]?.count ?? 0);
}

/** Whether the owner can sign in now. The floods attacked neither this account nor this address. */
async function signsIn(): Promise<boolean> {
  const client = pageClient({ url: site.url, origin: site.url });
  const { status } = await client.fillIn('/sign-in', { email: owner, password });
  return status === 303;
}
