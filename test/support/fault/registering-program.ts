import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Core, type Ports, Unavailable } from '@rollcall/core';
import { createLog } from '#adapters/node/system/log.js';
import { shutdownOnSignals } from '#app/shutdown.js';
import { startCore } from '../start-core.js';

/**
 * A test program: it starts one of several instances of the product, and registers people without a password, so that
 * no hash must be computed. Between its log lines it prints one for each attempted registration (`? address`) and each
 * acknowledged one (`+ address`), at once, and a `.` after the last one. SIGUSR2 ends the registrations. The variable
 * `REGISTERING` says in JSON what it does. The product does not use it.
 */
export interface Registering {
  /** The organizations that people join. */
  readonly organizations: readonly number[];
  /** The start of each email address. */
  readonly prefix: string;
  /** How many people register in total, and how many simultaneously. */
  readonly people: number;
  readonly atOnce: number;
  /** The time between one person and the next. */
  readonly pauseMs: number;
  /** It kills itself like `kill -9` when it reaches the point for the `after`th time. */
  readonly killed?: { readonly at: FaultPoint; readonly after: number };
}

export const faultPoints = [
  'in the transaction',
  'after the commit',
  'before the claim',
  'after the claim',
  'while sending',
  'after the answer',
  'after the outcome',
] as const;
export type FaultPoint = (typeof faultPoints)[number];

/** How long a refused client waits. */
const PAUSE_AFTER_REFUSAL_MS = 250;
/** How long a request has been under way when it is cut off. */
const CUT_OFF_AFTER_MS = 10;

function killer(killed: Registering['killed']): (here: FaultPoint) => void {
  let times = 0;
  return (here) => {
    if (here !== killed?.at) return;
    times += 1;
    if (times === killed.after) process.kill(process.pid, 'SIGKILL');
  };
}

/** Adds the fault points to the ports of the core. */
function addPoints(ports: Ports, at: (here: FaultPoint) => void): void {
  const { members, outbox, webhookSender } = ports;
  const { register } = members;
  const { claim, finish } = outbox;
  const { send } = webhookSender;
  Object.assign(members, {
    async register(...[member, journal]: Parameters<typeof register>) {
      const registered = await register(member, (facts) => {
        const entries = journal?.(facts) ?? [];
        at('in the transaction');
        return entries;
      });
      at('after the commit');
      return registered;
    },
  } satisfies Pick<typeof members, 'register'>);
  Object.assign(outbox, {
    async claim(request: Parameters<typeof claim>[0]) {
      at('before the claim');
      const claimed = await claim(request);
      if (claimed.length > 0) at('after the claim');
      return claimed;
    },
    async finish(result: Parameters<typeof finish>[0]) {
      const written = await finish(result);
      at('after the outcome');
      return written;
    },
  } satisfies Pick<typeof outbox, 'claim' | 'finish'>);
  Object.assign(webhookSender, {
    async send(request: Parameters<typeof send>[0]) {
      setTimeout(at, CUT_OFF_AFTER_MS, 'while sending');
      const result = await send(request);
      at('after the answer');
      return result;
    },
  } satisfies Pick<typeof webhookSender, 'send'>);
}

async function registerAll(core: Core, given: Registering): Promise<void> {
  const { organizations, prefix, people, atOnce, pauseMs } = given;
  let next = 0;
  for (const signal of ['SIGUSR2', 'SIGTERM'] as const) {
    process.once(signal, () => {
      next = people;
    });
  }
  const one = async (): Promise<void> => {
    while (next < people) {
      next += 1;
      const organizationId = organizations[next % organizations.length] ?? 0;
      await registerOne(core, { email: `${prefix}-${next}@example.test`, organizationId });
      await pause(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
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

async function main(given: Registering): Promise<void> {
  const log = createLog({ level: 'info' });
  const at = killer(given.killed);
  const { service, core } = await startCore(process.env, { log, change: (ports) => addPoints(ports, at) });
  log.info('Listening');
  shutdownOnSignals(service, log);
  await registerAll(core, given);
}

if (process.env.REGISTERING !== undefined) await main(JSON.parse(process.env.REGISTERING));
