import { Agent } from 'node:http';
import { tokenOf } from '../support/api.js';
import { type LargeKeys, largeSecretKey } from '../support/large-organization.js';
import {
  flood,
  MAX_DELAY_MS,
  measureAlone,
  type NoisyServer,
  operationsOf,
  smallOperations,
} from '../support/noisy-organization.js';
import { largeDatabase, largeSize as size } from './large-database.js';
import { type BenchRequest, quantile } from './measure.js';
import type { Measurement } from './measurement.js';
import { startOthers } from './others.js';
import { publicUrl, type Subject, startProduct } from './servers.js';
import { type Attempt, floodWith, signIns, wrongKeys } from './sign-in-flood.js';
import type { Result, Verdict } from './table.js';

const REQUESTS_MS = 5_000;
const SIGN_IN_SECONDS = 3;
const SIGN_INS_A_SECOND = 600;
const CONNECTIONS = 32;
const MAX_P99_MS = 50;

/** Goal 12: whatever one organization or one attacker does, another organization gets its answers. */
export const neighbors: Measurement = {
  name: 'neighbors',
  async run(bench) {
    const { url, keys } = await largeDatabase(bench, 'neighbors');
    // The limits would refuse the requests that are measured.
    const limits = { PAGE_LIMIT: '0', FEED_LIMIT: '0', TRUST_PROXY: '1' };
    const product = await startProduct({ ...bench.servedOn(url), secretKey: largeSecretKey }, limits);
    try {
      const server: NoisyServer = {
        url: `http://127.0.0.1:${product.port}`,
        loopDelay: () => product.loopDelay(),
      };
      const others = await smallRequests(server, keys);
      const token = await tokenOf(server.url, keys.accessKeys.large);
      const operations = operationsOf(keys, size, token);
      const alone = await measureAlone(server, operations);
      const wrong = alone.filter(({ status }) => status !== 200).map(({ name }) => name);
      if (wrong.length > 0) throw new Error(`not answered with 200: ${wrong.join(', ')}`);
      const [longest] = [...alone].sort((one, other) => other.delay - one.delay);
      const requests = await latencies(product, others, () =>
        flood(server, operations, performance.now() + REQUESTS_MS),
      );
      return [
        {
          ...work(`One organization with ${size.meetings.toLocaleString('en')} meetings`),
          verdicts: [
            {
              figure: 'that one request holds the event loop',
              value: longest?.delay ?? Number.NaN,
              goal: { atMost: MAX_DELAY_MS },
              unit: ' ms',
            },
            ofOthers(requests),
          ],
          remarks: [
            `${operations.length} kinds of requests, the longest is ${longest?.name}; ${atMost(requests)}`,
          ],
        },
        ...(await signInFloods(product, others)),
      ];
    } finally {
      await product.stop();
    }
  },
};

async function smallRequests(server: NoisyServer, keys: LargeKeys): Promise<readonly BenchRequest[]> {
  const token = await tokenOf(server.url, keys.accessKeys.small);
  return smallOperations(token).map(({ path }) => ({ method: 'GET', path, token }));
}

/** How long the others wait for their answers during the work. */
async function latencies(
  { port }: Subject,
  requests: readonly BenchRequest[],
  during: () => Promise<unknown>,
): Promise<readonly number[]> {
  const others = await startOthers(port, requests);
  await during();
  return others.stop();
}

async function signInFloods(product: Subject, others: readonly BenchRequest[]): Promise<readonly Result[]> {
  const { port } = product;
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const site = { url: `http://127.0.0.1:${port}`, origin: publicUrl };
  const floods: readonly (readonly [name: string, attempt: Attempt])[] = [
    ['Sign-ins to one account', await signIns(site, () => 'person1@large.test')],
    ['Sign-ins to ever new accounts', await signIns(site, (index) => `nobody-${index}@large.test`)],
    ['Wrong access keys', wrongKeys],
  ];
  const results: Result[] = [];
  try {
    for (const [name, attempt] of floods) {
      let statuses: Readonly<Record<number, number>> = {};
      const waited = await latencies(product, others, async () => {
        const how = { attempt, rate: SIGN_INS_A_SECOND, seconds: SIGN_IN_SECONDS };
        statuses = await floodWith({ agent, port }, how);
      });
      const answers = Object.entries(statuses).map(([status, count]) => `${count} with ${status}`);
      results.push({
        ...work(`${name}, ${SIGN_INS_A_SECOND} a second`),
        verdicts: [ofOthers(waited)],
        remarks: [`answered: ${answers.join(', ')}; ${atMost(waited)}`],
      });
    }
  } finally {
    agent.destroy();
  }
  return results;
}

function work(name: string): Pick<Result, 'work' | 'rate' | 'measured'> {
  return { work: name, rate: 'requests', measured: [] };
}

function ofOthers(times: readonly number[]): Verdict {
  return {
    figure: 'p99 of another organization',
    value: quantile(times, 0.99),
    goal: { atMost: MAX_P99_MS },
    unit: ' ms',
  };
}

function atMost(times: readonly number[]): string {
  return `the other organization waited at most ${quantile(times, 1).toFixed(1)} ms, of ${times.length} times`;
}
