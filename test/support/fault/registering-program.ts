import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Core, Unavailable } from '@rollcall/core';
import { createLog } from '#adapters/node/system/log.js';
import { shutdownOnSignals } from '#app/shutdown.js';
import { startCore } from '../start-core.js';

/**
 * A test program: it starts one of several instances of the product, and registers people without a password, so that
 * no hash must be computed. Between its log lines it prints one for each attempted registration (`? address`) and each
 * acknowledged one (`+ address`), at once, and a `.` after the last one. SIGUSR2 ends the registrations.
 */
export interface InstanceVariables {
  /** The organizations that people join, separated by commas. */
  readonly INSTANCE_ORGANIZATIONS: string;
  /** The start of each email address. */
  readonly INSTANCE_PREFIX: string;
  /** How many people register in total, and how many simultaneously. */
  readonly INSTANCE_PEOPLE: string;
  readonly INSTANCE_AT_ONCE: string;
  /** Milliseconds between one person and the next. */
  readonly INSTANCE_PAUSE: string;
}

/** How long a refused client waits. */
const PAUSE_AFTER_REFUSAL_MS = 250;

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

/** A failed registration is not repeated: if the database is unavailable, it may or may not have been stored. */
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
    await pause(PAUSE_AFTER_REFUSAL_MS);
  }
}

async function main(given: NodeJS.ProcessEnv): Promise<void> {
  const log = createLog({ level: 'info' });
  const { service, core } = await startCore(given, { log });
  log.info('Listening');
  shutdownOnSignals(service, log);
  await registerAll(core, given);
}

if (process.env.INSTANCE_PREFIX !== undefined) await main(process.env);
