import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type Bytes, exchange } from '../http/client.js';
import { accessKey, MAX_RUN_MS } from './target-server.js';

/** Milliseconds between two ordinary requests. */
const INTERVAL_MS = 15;
/** The server closes idle connections after 5 s: a request that is sent at that moment would fail. */
const MAX_IDLE_MS = 4_000;

export type Answers = Awaited<ReturnType<typeof askUntil>>;

/** Sends JSON by POST, and everything else by GET. */
export function send({
  token,
  json,
  ...where
}: {
  readonly port: number;
  readonly agent: Agent;
  readonly path: string;
  readonly token?: string;
  readonly json?: unknown;
}): Promise<Bytes> {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const method = json === undefined ? 'GET' : 'POST';
  return exchange({ ...where, method, sent: { headers, json }, timeoutMs: MAX_RUN_MS });
}

/** Sends requests at a steady pace, without waiting for the answers. Times are in milliseconds. */
export async function askUntil({
  port,
  token,
  end,
}: {
  readonly port: number;
  readonly token: string;
  readonly end: Promise<unknown>;
}) {
  const agent = new Agent({ keepAlive: true, timeout: MAX_IDLE_MS });
  const answers: Promise<{ readonly status: string; readonly elapsedMs: number }>[] = [];
  const late: number[] = [];
  let isOver = false;
  void end.finally(() => {
    isOver = true;
  });
  for (let count = 0; !isOver; count += 1) {
    const request =
      count % 2 === 0
        ? { path: '/api/v2/authenticate', json: { access_key: accessKey } }
        : { path: '/api/v2/organizations/1/members/idp-0/upcoming_meetings', token };
    const started = performance.now();
    const answer = send({ port, agent, ...request }).then(
      ({ status }) => String(status),
      () => 'failed',
    );
    answers.push(answer.then((status) => ({ status, elapsedMs: performance.now() - started })));
    await pause(INTERVAL_MS);
    late.push(performance.now() - started - INTERVAL_MS);
  }
  const all = await Promise.all(answers);
  agent.destroy();
  const times = all.map(({ elapsedMs }) => elapsedMs);
  return {
    statuses: counted(all.map(({ status }) => status)),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    max: quantile(times, 1),
    /** The delay of this process itself, 99th percentile: this much of the times above is not due to the server. */
    late: quantile(late, 0.99),
  };
}

function quantile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}

/** How often each name occurs. */
export function counted(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
