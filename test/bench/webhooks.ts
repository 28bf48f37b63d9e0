import { Agent } from 'node:https';
import { createSecureContext } from 'node:tls';
import { got } from 'got';
import { gotWebhookSender } from '#adapters/node/webhook/sender.js';
import { prepareSite, type ServeOptions, until } from '../support/fault/service.js';
import { startReceiver } from '../support/receiver.js';
import { median, quantile } from './measure.js';
import type { Bench, Measurement } from './measurement.js';
import { startReceiving } from './receiving.js';
import type { Result } from './table.js';

const ROUNDS = 9;
const SENT = 40;
/** The service sends at most this number of requests to one organization at once. */
const AT_ONCE = 4;
/** The registrations that fill the receiver, and the ones that are measured after them. */
const FILLING_REGISTRATIONS = 12;
const MEASURED_REGISTRATIONS = 1_500;
const RECEIVER_DELAY_MS = 9_000;

const body = JSON.stringify({ event: 'user.registered', text: 'x'.repeat(600) });
const headers = { 'Content-Type': 'application/json' };

/** Goal 10: sending, which does not depend on the database, and how much a slow receiver delays registrations. */
export const webhooks: Measurement = {
  name: 'webhooks',
  async run(bench) {
    return [...(bench.engine === 'SQLite' ? [await sending()] : []), await registering(bench)];
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
  const under = core === null ? [] : ['taskset', '-c', String(core)];
  const sending = { sender: { under } };
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
