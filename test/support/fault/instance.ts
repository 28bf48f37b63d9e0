import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Core, Unavailable } from '@rollcall/core';
import { createLog } from '#adapters/system/log.js';
import { readConfig } from '#app/config.js';
import { provide } from '#app/container/bindings.js';
import { startService } from '#app/main.js';
import { shutdownOnSignals } from '#app/shutdown.js';

/**
 * A program of the tests: the product's own start, one instance of several, together with a client that registers
 * people without a password to compute. Beside the lines of the log there is one for each registration that is
 * tried (`? address`) and for each that is acknowledged (`+ address`), written at once, and a `.` after the last one;
 * on SIGUSR2 nobody else is registered.
 */
export interface InstanceVariables {
  /** The organizations that people join, with commas between. */
  readonly INSTANCE_ORGANIZATIONS: string;
  /** What the addresses of the people begin with. */
  readonly INSTANCE_PREFIX: string;
  /** How many register, in all and at once. */
  readonly INSTANCE_PEOPLE: string;
  readonly INSTANCE_AT_ONCE: string;
  /** Milliseconds between one person and the next. */
  readonly INSTANCE_PAUSE: string;
}

/** How long a refused client waits, in milliseconds. */
const REFUSED_PAUSE = 250;

async function registerAll(core: Core, given: NodeJS.ProcessEnv): Promise<void> {
  const people = Number(given.INSTANCE_PEOPLE);
  const organizations = (given.INSTANCE_ORGANIZATIONS ?? '').split(',').map(Number);
  let next = 0;
  for (const signal of ['SIGUSR2', 'SIGTERM'] as const) {
    process.once(signal, () => {
      next = people;
    });
  }
  const one = async (): Promise<void> => {
    while (next < people) {
      next += 1;
      const email = `${given.INSTANCE_PREFIX}-${next}@example.test`;
      const organizationId = organizations[next % organizations.length] ?? 0;
      await registerOne(core, { email, organizationId });
      await pause(Number(given.INSTANCE_PAUSE));
    }
  };
  await Promise.all(Array.from({ length: Number(given.INSTANCE_AT_ONCE) }, one));
  writeSync(1, '.\n');
}

/** With the database away nobody knows whether it was done: this person does not come again. */
async function registerOne(
  core: Core,
  { email, organizationId }: { readonly email: string; readonly organizationId: number },
): Promise<void> {
  writeSync(1, `? ${email}\n`);
  try {
    await core.registerUser({ email, firstName: 'Ada', lastName: 'Lovelace', organizationId });
    writeSync(1, `+ ${email}\n`);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    await pause(REFUSED_PAUSE);
  }
}

async function main(given: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(given, () => undefined);
  const log = createLog({ level: config.logLevel });
  const started: { core?: Core } = {};
  const service = await startService({
    config,
    log,
    migrate: true,
    overrides: {
      preparation: provide(['core'], ({ core }) => async () => {
        started.core = core;
      }),
    },
  });
  log.info('Listening');
  shutdownOnSignals(service, log);
  if (started.core === undefined) throw new Error('the service was not prepared');
  await registerAll(started.core, given);
}

if (process.env.INSTANCE_PREFIX !== undefined) await main(process.env);
