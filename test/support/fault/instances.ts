import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresServer } from '../postgres-server.js';
import { until } from '../wait.js';
import type { FaultReport } from './audit.js';
import {
  ageAbandonedClaims,
  type Instance,
  preparePostgresSite,
  registrations,
  untilFinal,
} from './postgres.js';
import type { Running } from './process.js';

const ORGANIZATIONS = 8;
/** An abandoned claim is recovered after one minute plus up to ten seconds; then the delivery is sent. */
const END_TIMEOUT_MS = 75_000;
const MAX_KILLING_MS = 90_000;
const REGISTER_TIMEOUT_MS = 60_000;

/**
 * Instances register people simultaneously. At each interval, the next instance in turn is killed with `kill -9`
 * and started again. Afterwards they continue until enough people are registered. `waits` decides whether to wait until
 * abandoned claims are recovered, or to make the claims older.
 */
export async function killInstances({
  server,
  size,
  people,
  kills: plannedKills,
  intervalMs = 1000,
  waits,
}: {
  readonly server: PostgresServer;
  /** The number of instances. */
  readonly size: number;
  readonly people: number;
  readonly kills: number;
  /** Milliseconds from one kill to the next. */
  readonly intervalMs?: number;
  readonly waits: boolean;
}): Promise<FaultReport> {
  const site = await preparePostgresSite({
    server,
    organizations: ORGANIZATIONS,
    answer: (_request, response) => setTimeout(() => response.end('ok'), Math.random() * 60),
  });
  const processes: Running[] = [];
  const acknowledged = (): number => registrations(processes).acknowledged.size;
  const start = async (): Promise<Instance> => {
    const instance = await site.spawn({
      registering: {
        INSTANCE_PREFIX: `life-${processes.length + 1}`,
        INSTANCE_PEOPLE: String(people),
        INSTANCE_AT_ONCE: '2',
        INSTANCE_PAUSE: '100',
      },
    });
    processes.push(instance.process);
    return instance;
  };
  try {
    const instances: Instance[] = [];
    for (let index = 0; index < size; index += 1) instances.push(await start());
    await Promise.all(instances.map(({ process }) => process.see(/"msg":"Listening"/)));
    const first = performance.now();
    let kills = 0;
    while (kills < plannedKills && performance.now() - first < MAX_KILLING_MS) {
      await pause(intervalMs);
      const index = kills % size;
      // The instance to kill has started, however slow the machine is.
      await instances[index]?.process.see(/"msg":"Listening"/);
      await instances[index]?.process.stop('SIGKILL');
      kills += 1;
      instances[index] = await start();
    }
    const isEnough = await until(() => acknowledged() >= people, REGISTER_TIMEOUT_MS);
    const startedAt = performance.now();
    await Promise.all(instances.map(({ process }) => process.see(/"msg":"Listening"/)));
    for (const { process } of instances) process.child.kill('SIGUSR2');
    const isRegistered = await until(() => instances.every(({ process }) => isDone(process)), 30_000);
    if (!waits) await ageAbandonedClaims(site);
    const end = await untilFinal(site, END_TIMEOUT_MS);
    const codes = await Promise.all(instances.map(async ({ process }) => (await process.stop()).code));
    const report = await site.audit(registrations(processes));
    const cutOff = Number(report.counts['attempts cut off']);
    return {
      counts: { kills, ...report.counts, 'all final after, ms': Math.round(performance.now() - startedAt) },
      problems: [
        ...report.problems,
        ...(isRegistered ? [] : ['not everyone was registered']),
        ...(end === null ? [`${await site.unfinished()} deliveries have no outcome`] : []),
        ...(kills === plannedKills ? [] : [`only ${kills} kills in time`]),
        ...(isEnough ? [] : [`only ${acknowledged()} were registered`]),
        ...(Number(report.counts['received again']) <= cutOff
          ? []
          : ['received again without an interruption']),
        ...codes.filter((code) => code !== 0).map((code) => `an instance ended with ${code}`),
        ...unexpected(processes),
      ],
    };
  } finally {
    await site.remove();
  }
}

/** Whether the process has tried to register all its people. */
function isDone({ stdout }: Running): boolean {
  return /^\.$/m.test(stdout());
}

/** Unexpected errors in the logs of the instances. */
function unexpected(processes: readonly Running[]): readonly string[] {
  return processes.flatMap(({ stdout, stderr }) => [
    ...stdout()
      .split('\n')
      .filter((line) => /"level":(50|60)/.test(line)),
    ...(stderr() === '' ? [] : [stderr()]),
  ]);
}
