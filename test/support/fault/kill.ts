import { type Random, randomNumbers } from '../random-numbers.js';
import type { Answer } from '../receiver.js';
import { until, within } from '../wait.js';
import { audit, type FaultReport } from './audit.js';
import { type Running, registrations } from './process.js';
import { type FaultPoint, faultPoints } from './registering-program.js';
import { change, siteWithReceiver, unfinished } from './service.js';

/** The time limit for emptying the outbox in the end. */
const END_TIMEOUT_MS = 120_000;

/** A receiver that is sometimes slow, so that kills hit requests that are under way. */
function sometimesSlow(random: Random): Answer {
  return (_request, response) => setTimeout(() => response.end('ok'), random(2) * random(60));
}

/**
 * Kills a program that registers people at every fault point, `rounds` times each, when it reaches the point for the
 * first to fifth time. The pipe keeps what the program has acknowledged.
 */
export async function killAtPoints(options: {
  readonly rounds: number;
  readonly seed: number;
  readonly maxMs: number;
}): Promise<FaultReport> {
  const random = randomNumbers(options.seed);
  const { site, receiver, remove } = await siteWithReceiver(sometimesSlow(random));
  const children: Running[] = [];
  const startedAt = performance.now();
  const killed: Record<string, number> = {};
  const problems: string[] = [];

  const once = async (point: FaultPoint, prefix: string): Promise<void> => {
    const child = site.spawnServe({
      registering: {
        ...{ prefix, people: 12, atOnce: 3, pauseMs: 0, killed: { at: point, after: 1 + random(5) } },
      },
    });
    children.push(child);
    await child.see(/^\.$/m).catch(() => undefined);
    // A fault point of a delivery may still follow.
    const ended = await within(child.ended, 10_000);
    const { code, signal, stderr } = ended === 'too late' ? await child.stop() : ended;
    if (signal === 'SIGKILL') killed[point] = (killed[point] ?? 0) + 1;
    else problems.push(`${point}: ${code} ${signal} ${stderr}`);
  };

  try {
    for (let round = 1; round <= options.rounds; round += 1) {
      for (const [index, point] of faultPoints.entries()) {
        if (performance.now() - startedAt < options.maxMs) await once(point, `round-${round}-${index}`);
      }
    }
    const server = await site.serve();
    await until(() => unfinished(site.file) === 0, END_TIMEOUT_MS);
    await server.stop();
    const report = await audit(site.file, { ...registrations(children), requests: receiver.requests });
    const missing = faultPoints.filter((point) => killed[point] !== options.rounds);
    return {
      counts: { ...killed, ...report.counts, seed: options.seed },
      problems: [...problems, ...report.problems, ...missing.map((point) => `too few kills ${point}`)],
    };
  } finally {
    await remove();
  }
}

/** After a crash the clock is set back, so that the abandoned claim is in the future. */
export async function killAndSetTheClockBack(): Promise<FaultReport> {
  let answers = 0;
  const { site, receiver, remove } = await siteWithReceiver((_request, response) => {
    answers += 1;
    if (answers > 1) response.end('ok');
  });
  try {
    await site.register({ email: address });
    const server = await site.serve();
    await until(() => receiver.requests.length === 1, 5000);
    await server.stop('SIGKILL');
    change(
      site.file,
      `UPDATE deliveries SET claimed_at = '2099-01-01T00:00:00.000Z' WHERE state = 'sending'`,
    );
    const again = await site.serve();
    await again.see(/"again":1,"failed":0,"msg":"Deliveries were cut off by a crash"/);
    await until(() => unfinished(site.file) === 0, 5000);
    await again.stop();
    return await audit(site.file, { ...ada, requests: receiver.requests });
  } finally {
    await remove();
  }
}

const address = 'ada@example.test';
const ada = { attempted: new Set([address]), acknowledged: new Set([address]) };
