import { type Random, randomNumbers } from '../random-numbers.js';
import type { Answer } from '../receiver.js';
import { until } from '../wait.js';
import { audit, type FaultReport } from './audit.js';
import { linesOf } from './process.js';
import { type FaultPoint, type FaultVariables, faultPoints } from './self-killing-program.js';
import { change, type FaultSite, FIRST_ORGANIZATION, siteWithReceiver, unfinished } from './service.js';

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
  const attempted = new Set<string>();
  const acknowledged = new Set<string>();
  const startedAt = performance.now();
  const killed: Record<string, number> = {};
  const problems: string[] = [];

  const once = async (point: FaultPoint, name: string): Promise<void> => {
    for (let person = 1; person <= PEOPLE; person += 1) attempted.add(`${name}-${person}@example.test`);
    const child = site.spawnChild({
      FAULT_ORGANIZATION: String(FIRST_ORGANIZATION),
      FAULT_PREFIX: name,
      FAULT_PEOPLE: String(PEOPLE),
      FAULT_AT_ONCE: '3',
      FAULT_POINT: point,
      FAULT_AFTER: String(1 + random(5)),
    } satisfies FaultVariables);
    const { code, signal, stdout, stderr } = await child.ended;
    for (const email of linesOf(stdout)) acknowledged.add(email);
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
    const report = audit(site.file, { attempted, acknowledged, requests: receiver.requests });
    const missing = faultPoints.filter((point) => killed[point] !== options.rounds);
    return {
      counts: { ...killed, ...report.counts, seed: options.seed },
      problems: [...problems, ...report.problems, ...missing.map((point) => `too few kills ${point}`)],
    };
  } finally {
    await remove();
  }
}

const PEOPLE = 12;

/** After a crash the clock is set back, so that the abandoned claim is in the future. */
export async function killAndSetTheClockBack(): Promise<FaultReport> {
  let answers = 0;
  const { site, receiver, remove } = await siteWithReceiver((_request, response) => {
    answers += 1;
    if (answers > 1) response.end('ok');
  });
  try {
    await registerOne(site);
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
    return audit(site.file, { ...ada, requests: receiver.requests });
  } finally {
    await remove();
  }
}

const address = 'ada@example.test';
const ada = { attempted: new Set([address]), acknowledged: new Set([address]) };

function registerOne(site: FaultSite): Promise<unknown> {
  return site.embedded((core) =>
    core.registerUser({
      email: address,
      firstName: 'Ada',
      lastName: 'Lovelace',
      organizationId: FIRST_ORGANIZATION,
    }),
  );
}
