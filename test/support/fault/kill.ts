import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from '../receiver.js';
import { until } from '../wait.js';
import { audit, type FaultReport } from './audit.js';
import { linesOf } from './process.js';
import { type FaultPoint, type FaultVariables, faultPoints } from './self-killing-program.js';
import {
  change,
  type FaultSite,
  FIRST_ORGANIZATION,
  seeded,
  signIn,
  siteWithReceiver,
  unfinished,
} from './service.js';

/** The time limit for emptying the outbox in the end. */
const END_TIMEOUT_MS = 120_000;
/** The number of people who register simultaneously. */
const VISITORS = 3;

/** A receiver that is sometimes slow, so that kills hit requests that are under way. */
function sometimesSlow(random: () => number): Answer {
  return (_request, response) => setTimeout(() => response.end('ok'), random() < 0.5 ? 0 : random() * 60);
}

/**
 * Lets people register through the API and the pages, and kills the server at random times, sometimes before it
 * listens. Stops early after `maxMs`, and reports that as a problem.
 */
export async function killWhileServing(options: {
  readonly kills: number;
  readonly seed: number;
  readonly maxMs: number;
}): Promise<FaultReport> {
  const random = seeded(options.seed);
  const { site, receiver, remove } = await siteWithReceiver(sometimesSlow(random));
  const people = crowd(site);
  const startedAt = performance.now();
  let kills = 0;
  try {
    while (kills < options.kills && performance.now() - startedAt < options.maxMs) {
      const server = site.spawnServe();
      if (random() < 0.2) await pause(random() * 400);
      else {
        await server.see(/"msg":"Listening"/);
        const known = people.acknowledged.size;
        if (random() < 0.6) await until(() => people.acknowledged.size > known, 3000);
        await pause(random() * 200);
      }
      await server.stop('SIGKILL');
      kills += 1;
    }
    const server = await site.serve();
    // On a slow machine every registration may have been cut off until now.
    await until(() => people.acknowledged.size >= kills / 3, END_TIMEOUT_MS);
    await people.stop();
    await until(() => unfinished(site.file) === 0, END_TIMEOUT_MS);
    const { code } = await server.stop();
    const report = audit(site.file, { ...people, requests: receiver.requests });
    return {
      counts: { kills, ...report.counts, seed: options.seed },
      problems: [
        ...report.problems,
        ...(code === 0 ? [] : [`the last server ended with ${code}`]),
        ...(kills === options.kills ? [] : [`only ${kills} kills in time`]),
        ...(people.acknowledged.size >= kills / 3 ? [] : ['hardly anyone could register']),
      ],
    };
  } finally {
    await people.stop();
    await remove();
  }
}

/** People who keep registering, one at a time each, whether the server is running or not. */
function crowd(site: FaultSite): {
  readonly attempted: ReadonlySet<string>;
  readonly acknowledged: ReadonlySet<string>;
  stop(): Promise<void>;
} {
  const attempted = new Set<string>();
  const acknowledged = new Set<string>();
  const [organization] = site.organizations;
  if (organization === undefined) throw new Error('the site has no organization');
  let isStopped = false;
  let caller: Awaited<ReturnType<typeof signIn>> | null = null;

  const registerOne = async (email: string): Promise<void> => {
    caller ??= await signIn(site, organization);
    const { path } = await caller.invite(email);
    if (path === null) return;
    attempted.add(email);
    if (await caller.accept(path)) acknowledged.add(email);
  };
  const visitor = async (name: string): Promise<void> => {
    for (let count = 1; !isStopped; count += 1) {
      // The server may have been killed.
      await registerOne(`${name}-${count}@example.test`).catch(() => pause(20));
    }
  };
  const visitors = Array.from({ length: VISITORS }, (_, index) => visitor(`visitor-${index + 1}`));
  return {
    attempted,
    acknowledged,
    async stop() {
      isStopped = true;
      await Promise.all(visitors);
    },
  };
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
  const random = seeded(options.seed);
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
      FAULT_AFTER: String(1 + Math.floor(random() * 5)),
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

/** Kills the server three times during the same delivery, which must then count as failed. */
export async function killTheSameDelivery(): Promise<FaultReport> {
  const { site, receiver, remove } = await siteWithReceiver(() => undefined);
  const receivedCounts: number[] = [];
  try {
    await registerOne(site);
    for (let count = 1; count <= 3; count += 1) {
      const server = await site.serve();
      await until(() => receiver.requests.length >= count, 5000);
      await server.stop('SIGKILL');
      receivedCounts.push(receiver.requests.length);
    }
    const server = await site.serve();
    await pause(1500);
    await server.stop();
    receivedCounts.push(receiver.requests.length);
    const report = audit(site.file, { ...ada, requests: receiver.requests });
    const isRight = receivedCounts.join() === '1,2,3,3' && report.counts.failed === 1;
    return {
      counts: report.counts,
      problems: [
        ...report.problems,
        ...(isRight ? [] : [`received ${receivedCounts}, failed ${report.counts.failed}`]),
      ],
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
