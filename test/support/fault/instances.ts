import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresServer } from '../postgres-server.js';
import type { FaultReport } from './audit.js';
import {
  ageAbandonedClaims,
  type Instance,
  preparePostgresSite,
  registrations,
  untilFinal,
} from './postgres.js';
import type { Running } from './process.js';
import { until } from './service.js';

const INSTANCES = 3;
const ORGANIZATIONS = 8;
/** A claim belongs to nobody after a minute, which is looked for every ten seconds; and the sending itself. */
const END_TIMEOUT_MS = 75_000;
const MAX_KILLING_MS = 90_000;
const REGISTER_TIMEOUT_MS = 60_000;

/**
 * Three instances register people side by side; every second one of them, in turn, is killed with
 * `kill -9` and started again; then they go on until so many people are there. `waits`: whether the minute after which an abandoned
 * claim is taken up passes, or the claims are made older.
 */
export async function killInstances({
  server,
  people,
  kills: wanted,
  every = 1000,
  waits,
}: {
  readonly server: PostgresServer;
  readonly people: number;
  readonly kills: number;
  /** Milliseconds from one kill to the next. */
  readonly every?: number;
  readonly waits: boolean;
}): Promise<FaultReport> {
  const site = await preparePostgresSite({
    server,
    organizations: ORGANIZATIONS,
    answer: (_request, response) => setTimeout(() => response.end('ok'), Math.random() * 60),
  });
  const lives: Running[] = [];
  const acknowledged = (): number => registrations(lives).acknowledged.size;
  const start = async (): Promise<Instance> => {
    const instance = await site.spawn({
      registering: {
        INSTANCE_PREFIX: `life-${lives.length + 1}`,
        INSTANCE_PEOPLE: String(people),
        INSTANCE_AT_ONCE: '2',
        INSTANCE_PAUSE: '20',
      },
    });
    lives.push(instance.process);
    return instance;
  };
  try {
    const instances: Instance[] = [];
    for (let index = 0; index < INSTANCES; index += 1) instances.push(await start());
    await Promise.all(instances.map(({ process }) => process.see(/"msg":"Listening"/)));
    const first = performance.now();
    let kills = 0;
    while (kills < wanted && performance.now() - first < MAX_KILLING_MS) {
      await pause(every);
      const index = kills % INSTANCES;
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
    const report = await site.audit(registrations(lives));
    const cutOff = Number(report.counts['attempts cut off']);
    return {
      counts: { kills, ...report.counts, 'all final after, ms': Math.round(performance.now() - startedAt) },
      problems: [
        ...report.problems,
        ...(isRegistered ? [] : ['not everybody was registered']),
        ...(end === null ? [`${await site.unfinished()} deliveries have no outcome`] : []),
        ...(kills === wanted ? [] : [`only ${kills} kills in time`]),
        ...(isEnough ? [] : [`only ${acknowledged()} were registered`]),
        ...(Number(report.counts['received again']) <= cutOff ? [] : ['received again without a cut']),
        ...codes.filter((code) => code !== 0).map((code) => `an instance ended with ${code}`),
        ...unexpected(lives),
      ],
    };
  } finally {
    await site.remove();
  }
}

/** Whether it has tried to register all its people. */
function isDone({ stdout }: Running): boolean {
  return /^\.$/m.test(stdout());
}

/** Unexpected errors in the instances' logs. */
function unexpected(lives: readonly Running[]): readonly string[] {
  return lives.flatMap(({ stdout, stderr }) => [
    ...stdout()
      .split('\n')
      .filter((line) => /"level":(50|60)/.test(line)),
    ...(stderr() === '' ? [] : [stderr()]),
  ]);
}
