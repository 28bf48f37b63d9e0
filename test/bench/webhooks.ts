import { Agent } from 'node:https';
import { cpus } from 'node:os';
import { createSecureContext } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { got } from 'got';
import { gotWebhookSender } from '#adapters/node/webhook/sender.js';
import { startProgram } from '../support/fault/process.js';
import { prepareSite, type ServeOptions } from '../support/fault/service.js';
import { startReceiver } from '../support/receiver.js';
import { until, within } from '../support/wait.js';
import { isSmall } from './data.js';
import { median, quantile } from './measure.js';
import type { Bench, Measurement } from './measurement.js';
import { startReceiving } from './receiving.js';
import { type RegisteringService, type Registration, timeNow } from './registering-service.js';
import { asServed, cpuOf } from './servers.js';
import type { Result } from './table.js';

const ROUNDS = 9;
const SENT = 40;
/** The service sends at most this number of requests to one organization at once. */
const AT_ONCE = 4;
/** The registrations that fill the receiver, and the ones that are measured after them. */
const FILLING_REGISTRATIONS = 12;
const MEASURED_REGISTRATIONS = 1_500;
const RECEIVER_DELAY_MS = 9_000;
/** The organizations that events are sent to. The receiver of the first one never answers. */
const ORGANIZATIONS = 100;
const EVENTS_A_SECOND = 200;
/** The events that fill the stuck receiver and let the code be compiled, and the ones that are measured after them. */
const EARLIER_EVENTS = 4 * EVENTS_A_SECOND;
/** A service that has just started spares memory for 15 s, at the cost of speed. */
const SETTLING_EVENTS = (isSmall ? 4 : 20) * EVENTS_A_SECOND;
const MEASURED_EVENTS = (isSmall ? 2 : 10) * EVENTS_A_SECOND;
const MAX_REGISTERING_MS = 60_000;
/** An event that takes longer counts as lost. */
const MAX_ARRIVAL_MS = 5_000;

const STUCK_PATH = '/stuck';
const registeringService = fileURLToPath(new URL('./registering-service.js', import.meta.url));

const body = JSON.stringify({ event: 'user.registered', text: 'x'.repeat(600) });
const headers = { 'Content-Type': 'application/json' };

/**
 * Goal 10: sending, which does not depend on the database, how much a slow receiver delays registrations, and how soon
 * events arrive: while another receiver is stuck, and those that another process stores.
 */
export const webhooks: Measurement = {
  name: 'webhooks',
  async run(bench) {
    return [
      ...(bench.engine === 'SQLite' ? [await sending()] : []),
      await registering(bench),
      await arriving(bench),
      await storedElsewhere(bench, { perSecond: 1, earlier: 3, events: isSmall ? 3 : 12 }),
      await storedElsewhere(bench, {
        perSecond: EVENTS_A_SECOND,
        earlier: SETTLING_EVENTS,
        events: (isSmall ? 1 : 5) * EVENTS_A_SECOND,
      }),
    ];
  },
};

/** Each request has its own connection, because the sender looks up and checks the receiver every time. */
async function sending(): Promise<Result> {
  const receiver = await startReceiving();
  try {
    const sender = gotWebhookSender({
      allowedNetworks: ['127.0.0.0/8'],
      certificateAuthorities: [receiver.authority],
    });
    const secureContext = createSecureContext({ ca: receiver.authority });
    const https = new Agent({ keepAlive: false, maxCachedSessions: 0, secureContext });
    const ours = async (): Promise<void> => {
      const { outcome } = await sender.send({ url: receiver.url, headers, body });
      if (outcome !== 'delivered') throw new Error(`a delivery ended as ${outcome}`);
    };
    const theirs = async (): Promise<void> => {
      await got.post(receiver.url, { headers, body, retry: { limit: 0 }, agent: { https } });
    };
    const rates: { readonly ours: number; readonly theirs: number }[] = [];
    await rateOf(ours);
    await rateOf(theirs);
    for (let round = 0; round < ROUNDS; round += 1) {
      const first = await rateOf(round % 2 === 0 ? ours : theirs);
      const second = await rateOf(round % 2 === 0 ? theirs : ours);
      rates.push(round % 2 === 0 ? { ours: first, theirs: second } : { ours: second, theirs: first });
    }
    return {
      work: 'Webhooks',
      rate: 'requests',
      measured: [],
      verdicts: [
        {
          figure: 'of bare got with fresh connections',
          value: median(rates.map((rate) => rate.ours / rate.theirs)),
          goal: { atLeast: 0.85 },
        },
      ],
      remarks: [
        `${median(rates.map((rate) => rate.ours)).toFixed(0)} a second, got ${median(rates.map((rate) => rate.theirs)).toFixed(0)}; ${AT_ONCE} at once, ${ROUNDS} rounds`,
      ],
    };
  } finally {
    await receiver.stop();
  }
}

/** Requests a second. */
async function rateOf(send: () => Promise<void>): Promise<number> {
  const started = performance.now();
  let left = SENT;
  const sendAll = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await send();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendAll));
  return (SENT / (performance.now() - started)) * 1000;
}

async function registering({ databases, core }: Bench): Promise<Result> {
  const sending = { sender: { under: under(core) } };
  const nothing = { sender: null };
  const run = async (name: string, how: typeof sending | typeof nothing) =>
    registered(await databases.another(name), how);
  // Later runs profit from compiled code: the first two do not count, and then each kind is first once.
  await run('first', sending);
  await run('second', nothing);
  const rounds = [
    await run('third', sending),
    await run('fourth', nothing),
    await run('fifth', nothing),
    await run('sixth', sending),
  ] as const;
  const slow = {
    elapsedMs: [...rounds[0].elapsedMs, ...rounds[3].elapsedMs],
    maxOpen: Math.max(rounds[0].maxOpen, rounds[3].maxOpen),
  };
  const none = { elapsedMs: [...rounds[1].elapsedMs, ...rounds[2].elapsedMs] };
  return {
    work: 'Registering while the receiver takes 9 s',
    rate: 'requests',
    measured: [],
    verdicts: [
      {
        figure: 'of p99 over registering while nothing is sent',
        value: quantile(slow.elapsedMs, 0.99) - quantile(none.elapsedMs, 0.99),
        goal: { atMost: 1 },
        unit: ' ms',
      },
      { figure: 'requests held at once', value: slow.maxOpen, goal: { atMost: AT_ONCE } },
    ],
    remarks: [
      `p99 ${quantile(slow.elapsedMs, 0.99).toFixed(1)} ms and ${quantile(none.elapsedMs, 0.99).toFixed(1)} ms; p50 ${median(slow.elapsedMs).toFixed(1)} ms and ${median(none.elapsedMs).toFixed(1)} ms; ${2 * MEASURED_REGISTRATIONS} each`,
    ],
  };
}

/** Starts a program on this core, and Node as `npm start` does. */
function under(core: number | null): readonly string[] {
  const pinned = core === null ? [] : ['taskset', '-c', String(core)];
  return [...pinned, 'env', `NODE_OPTIONS=${asServed.join(' ')}`];
}

/** This process is bound to one core, and so would be the programs that it starts. */
function onAllCores(core: number | null): readonly string[] {
  return core === null ? [] : ['taskset', '-c', `0-${cpus().length - 1}`];
}

/** Registers people in an organization with a webhook. A server sends the events; with `sender: null`, nothing does. */
async function registered(
  databaseUrl: string,
  { sender }: { readonly sender: ServeOptions | null },
): Promise<{ readonly elapsedMs: readonly number[]; readonly maxOpen: number }> {
  const receiver = await startReceiver({
    answer: (_request, response) => setTimeout(() => response.end(), RECEIVER_DELAY_MS),
  });
  const site = await prepareSite({
    webhookUrls: [receiver.url],
    authority: receiver.authority,
    databaseUrl,
  });
  try {
    if (sender !== null) await site.serve(sender);
    const organizationId = site.organizations[0]?.id ?? 0;
    const elapsedMs: number[] = [];
    let maxOpen = 0;
    await site.embedded(async (core) => {
      const register = (email: string): Promise<unknown> =>
        core.registerUser({ email, firstName: 'Ada', lastName: 'Lovelace', organizationId });
      for (let person = 1; person <= FILLING_REGISTRATIONS; person += 1)
        await register(`first-${person}@bench.test`);
      const isHeld = sender === null || (await until(() => receiver.open() >= AT_ONCE, RECEIVER_DELAY_MS));
      if (!isHeld) throw new Error('the slow receiver was sent nothing');
      for (let person = 1; person <= MEASURED_REGISTRATIONS; person += 1) {
        const started = performance.now();
        await register(`person-${person}@bench.test`);
        elapsedMs.push(performance.now() - started);
        maxOpen = Math.max(maxOpen, receiver.open());
      }
    });
    return { elapsedMs, maxOpen };
  } finally {
    await site.remove();
    await receiver.stop();
  }
}

/** How soon events reach their receivers after the commit, on one core that also registers people. */
async function arriving({ databases, core }: Bench): Promise<Result> {
  const arrivedAt = new Map<string, number>();
  let held = 0;
  const receiver = await startReceiver({
    answer(request, response, received) {
      if (request.url === STUCK_PATH) {
        held += 1;
        return;
      }
      arrivedAt.set(JSON.parse(received.toString()).user.email, timeNow());
      response.end();
    },
  });
  const site = await prepareSite({
    webhookUrls: Array.from(
      { length: ORGANIZATIONS },
      (_, index) => `${receiver.url}${index === 0 ? STUCK_PATH : '/quick'}`,
    ),
    authority: receiver.authority,
    databaseUrl: await databases.another('arriving'),
  });
  const stuck = site.organizations[0]?.id ?? 0;
  const env: RegisteringService = {
    BENCH_SENDS: 'yes',
    BENCH_PEOPLE: String(EARLIER_EVENTS + MEASURED_EVENTS),
    BENCH_PER_SECOND: String(EVENTS_A_SECOND),
    BENCH_FIRST_ORGANIZATION: String(stuck),
    BENCH_ORGANIZATIONS: String(ORGANIZATIONS),
  };
  const service = startProgram([process.execPath, registeringService], {
    cwd: site.directory,
    env: { ...site.env, ...env },
    under: under(core),
  });
  try {
    const isDone = () => service.stdout().endsWith(']\n') || service.child.exitCode !== null;
    if (!(await until(isDone, MAX_REGISTERING_MS)) || service.child.exitCode !== null)
      throw new Error(`not all people were registered: ${service.stderr()}`);
    const all = JSON.parse(service.stdout()) as readonly (Registration | null)[];
    const measured = all.slice(EARLIER_EVENTS).flatMap((one) => one ?? []);
    const sent = measured.filter(({ organizationId }) => organizationId !== stuck);
    await until(() => sent.every(({ email }) => arrivedAt.has(email)), MAX_ARRIVAL_MS);
    const cpu = ((cpuOf(service.child.pid) ?? Number.NaN) - (all[0]?.cpu ?? 0)) / all.length;
    if (held === 0) throw new Error('the stuck receiver was sent nothing');
    const times = sent.map(
      ({ email, committedAt }) => (arrivedAt.get(email) ?? Number.POSITIVE_INFINITY) - committedAt,
    );
    const [first, last] = [measured[0], measured.at(-1)];
    if (first === undefined || last === undefined) throw new Error('nothing was registered');
    const between = measured.length - 1;
    const refused = all.filter((one) => one === null).length;
    return {
      work: `${EVENTS_A_SECOND} events a second, ${100 / ORGANIZATIONS} % of the receivers stuck`,
      rate: 'requests',
      measured: [],
      verdicts: [
        {
          figure: 'p99 from the commit to the receiver',
          value: quantile(times, 0.99),
          goal: { atMost: 250 },
          unit: ' ms',
        },
        {
          figure: 'events a second',
          value: (between * 1000) / (last.committedAt - first.committedAt),
          goal: { atLeast: 0.95 * EVENTS_A_SECOND },
        },
      ],
      remarks: [
        `p50 ${median(times).toFixed(1)} ms, at most ${quantile(times, 1).toFixed(0)} ms; ${sent.length} events; ${cpu.toFixed(1)} ms of CPU for each, with its registration; ${refused} refused`,
      ],
    };
  } finally {
    await service.stop('SIGKILL');
    await site.remove();
    await receiver.stop();
  }
}

/** How soon a service sends what another process stores. Both may use all cores: with the receiver, there are three processes. */
async function storedElsewhere(
  { databases, engine, core }: Bench,
  {
    perSecond,
    earlier,
    events,
  }: { readonly perSecond: number; readonly earlier: number; readonly events: number },
): Promise<Result> {
  const arrivedAt = new Map<string, number>();
  const receiver = await startReceiver({
    answer(_request, response, received) {
      arrivedAt.set(JSON.parse(received.toString()).user.email, timeNow());
      response.end();
    },
  });
  const site = await prepareSite({
    webhookUrls: Array.from({ length: ORGANIZATIONS }, () => receiver.url),
    authority: receiver.authority,
    databaseUrl: await databases.another(`elsewhere${perSecond}`),
  });
  try {
    const { child } = await site.serve({ under: [...onAllCores(core), ...under(null)] });
    const cpuBefore = cpuOf(child.pid) ?? Number.NaN;
    const env: RegisteringService = {
      BENCH_SENDS: 'no',
      BENCH_PEOPLE: String(earlier + events),
      BENCH_PER_SECOND: String(perSecond),
      BENCH_FIRST_ORGANIZATION: String(site.organizations[0]?.id ?? 0),
      BENCH_ORGANIZATIONS: String(ORGANIZATIONS),
    };
    const other = startProgram([process.execPath, registeringService], {
      cwd: site.directory,
      env: { ...site.env, ...env },
      under: onAllCores(core),
    });
    await within(other.ended, MAX_REGISTERING_MS);
    if (!other.stdout().endsWith(']\n')) throw new Error(`not all people were registered: ${other.stderr()}`);
    const stored = JSON.parse(other.stdout()) as readonly (Registration | null)[];
    const measured = stored.slice(earlier).flatMap((one) => one ?? []);
    await until(() => measured.every(({ email }) => arrivedAt.has(email)), MAX_ARRIVAL_MS);
    const cpu = ((cpuOf(child.pid) ?? Number.NaN) - cpuBefore) / stored.length;
    const times = measured.map(
      ({ email, committedAt }) => (arrivedAt.get(email) ?? Number.POSITIVE_INFINITY) - committedAt,
    );
    return {
      work: `Events of another process, ${perSecond} a second`,
      rate: 'requests',
      measured: [],
      verdicts: [
        {
          figure: 'p99 from the commit to the receiver',
          value: quantile(times, 0.99),
          goal: { atMost: engine === 'SQLite' ? 100 : 50 },
          unit: ' ms',
        },
      ],
      remarks: [
        `p50 ${median(times).toFixed(1)} ms, at most ${quantile(times, 1).toFixed(0)} ms; ${times.length} events; ${cpu.toFixed(1)} ms of CPU for each`,
      ],
    };
  } finally {
    await site.remove();
    await receiver.stop();
  }
}
