import { setTimeout as pause } from 'node:timers/promises';
import { type Core, Unavailable } from '@rollcall/core';
import { embedding } from '../support/fault/service.js';
import { startCore } from '../support/start-core.js';

/**
 * A program that registers people at a fixed rate, each in the next organization, without the cost of a password. After
 * the last one, it prints a `Registration` for each, or null if the service was too busy. It starts the product and
 * delivers the events until it is killed, or only stores them, as a command does.
 */
export interface RegisteringService {
  readonly BENCH_SENDS: 'yes' | 'no';
  readonly BENCH_PEOPLE: string;
  readonly BENCH_PER_SECOND: string;
  readonly BENCH_FIRST_ORGANIZATION: string;
  readonly BENCH_ORGANIZATIONS: string;
}

export interface Registration {
  readonly email: string;
  readonly organizationId: number;
  /** By the clock of `timeNow`. */
  readonly committedAt: number;
  /** Milliseconds of CPU that the process has used until then. */
  readonly cpu: number;
}

/** Milliseconds, by a clock that is the same in all processes. */
export function timeNow(): number {
  return performance.timeOrigin + performance.now();
}

async function register(core: Core, given: NodeJS.ProcessEnv): Promise<readonly (Registration | null)[]> {
  const interval = 1000 / Number(given.BENCH_PER_SECOND);
  const registrations: Promise<Registration | null>[] = [];
  const one = async (index: number): Promise<Registration> => {
    const email = `person-${index}@bench.test`;
    const organizationId =
      Number(given.BENCH_FIRST_ORGANIZATION) + (index % Number(given.BENCH_ORGANIZATIONS));
    await core.registerUser({ email, firstName: 'Ada', lastName: 'Lovelace', organizationId });
    const { user, system } = process.cpuUsage();
    return { email, organizationId, committedAt: timeNow(), cpu: (user + system) / 1000 };
  };
  const start = performance.now();
  for (let index = 0; index < Number(given.BENCH_PEOPLE); index += 1) {
    const wait = start + index * interval - performance.now();
    if (wait > 0) await pause(wait);
    registrations.push(one(index).catch(nullIfBusy));
  }
  return Promise.all(registrations);
}

function nullIfBusy(error: unknown): null {
  if (error instanceof Unavailable) return null;
  throw error;
}

async function main(given: NodeJS.ProcessEnv): Promise<void> {
  const registrations =
    given.BENCH_SENDS === 'yes'
      ? await register((await startCore(given)).core, given)
      : await embedding(given as Record<string, string>)((core) => register(core, given));
  process.stdout.write(`${JSON.stringify(registrations)}\n`);
}

if (process.env.BENCH_PEOPLE !== undefined) await main(process.env);
