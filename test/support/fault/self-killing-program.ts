import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Core, Ports } from '@rollcall/core';
import { startCore } from '../start-core.js';

/**
 * A test program: it starts the product, and registers people without a password, so that no hash must be computed. It
 * kills itself like `kill -9` when it reaches `FAULT_POINT` for the `FAULT_AFTER`th time. It prints each acknowledged
 * registration at once, one per line. The product does not use these variables.
 */
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

/** The variables of this program, in addition to those of the product. */
export interface FaultVariables {
  readonly FAULT_POINT?: FaultPoint;
  readonly FAULT_AFTER?: string;
  /** The organization that people join. */
  readonly FAULT_ORGANIZATION: string;
  /** The start of each email address. */
  readonly FAULT_PREFIX: string;
  /** How many people register in total, and how many simultaneously. */
  readonly FAULT_PEOPLE: string;
  readonly FAULT_AT_ONCE?: string;
}

/** How long a request has been under way when it is cut off. */
const CUT_OFF_AFTER_MS = 10;

function killer(point: string, after: number): (here: FaultPoint) => void {
  let times = 0;
  return (here) => {
    if (here !== point) return;
    times += 1;
    if (times === after) process.kill(process.pid, 'SIGKILL');
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

async function registerAll(core: Core, given: NodeJS.ProcessEnv): Promise<void> {
  const people = Number(given.FAULT_PEOPLE);
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < people) {
      next += 1;
      const email = `${given.FAULT_PREFIX}-${next}@example.test`;
      const organizationId = Number(given.FAULT_ORGANIZATION);
      await core.registerUser({ email, firstName: 'Ada', lastName: 'Lovelace', organizationId });
      writeSync(1, `${email}\n`);
    }
  };
  await Promise.all(Array.from({ length: Number(given.FAULT_AT_ONCE ?? 1) }, one));
}

async function main(given: NodeJS.ProcessEnv): Promise<void> {
  const at = killer(given.FAULT_POINT ?? '', Number(given.FAULT_AFTER ?? 1));
  const { service, core } = await startCore(given, { change: (ports) => addPoints(ports, at) });
  await registerAll(core, given);
  // A fault point of a delivery may still follow.
  if (given.FAULT_POINT !== undefined) await pause(10_000);
  await service.stop();
}

if (process.env.FAULT_PREFIX !== undefined) await main(process.env);
