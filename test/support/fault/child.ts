import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Core, Ports } from '@rollcall/core';
import { createLog } from '#adapters/system/log.js';
import { readConfig } from '#app/config.js';
import { provide } from '#app/container/bindings.js';
import { startService } from '#app/main.js';

/**
 * A program of the tests: the product's own start, together with a client that registers people without a
 * password to compute. `FAULT_POINT` names the place where it kills itself, as `kill -9` would, when it comes
 * there for the `FAULT_AFTER`th time. Each acknowledged registration is a line on standard output, written at
 * once. The product knows nothing of these variables.
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

/** What the program is told, beside the product's own variables. */
export interface FaultVariables {
  readonly FAULT_POINT?: FaultPoint;
  readonly FAULT_AFTER?: string;
  /** The organization that people join. */
  readonly FAULT_ORGANIZATION: string;
  /** What the addresses of the people begin with. */
  readonly FAULT_PREFIX: string;
  /** How many register, in all and at once. */
  readonly FAULT_PEOPLE: string;
  readonly FAULT_AT_ONCE?: string;
}

/** How long a request is under way when it is cut off. */
const WHILE = 10;

function killer(point: string, after: number): (here: FaultPoint) => void {
  let times = 0;
  return (here) => {
    if (here !== point) return;
    times += 1;
    if (times === after) process.kill(process.pid, 'SIGKILL');
  };
}

/** Puts the named points around the ports that the core was given. */
function addPoints(ports: Ports, at: (here: FaultPoint) => void): void {
  const { members, outbox, webhookSender } = ports;
  const { register } = members;
  const { claim, finish } = outbox;
  const { send } = webhookSender;
  Object.assign(members, {
    async register(...[member, tell]: Parameters<typeof register>) {
      const answer = await register(member, (facts) => {
        const event = tell(facts);
        at('in the transaction');
        return event;
      });
      at('after the commit');
      return answer;
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
      setTimeout(at, WHILE, 'while sending');
      const ending = await send(request);
      at('after the answer');
      return ending;
    },
  } satisfies typeof webhookSender);
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
  const started: { core?: Core } = {};
  const service = await startService({
    config: readConfig(given, () => undefined),
    log: createLog({ level: 'silent', destination: { write() {} } }),
    migrate: true,
    overrides: {
      preparation: provide(['core', 'ports'], ({ core, ports }) => async () => {
        started.core = core;
        addPoints(ports, at);
      }),
    },
  });
  if (started.core === undefined) throw new Error('the service was not prepared');
  await registerAll(started.core, given);
  // A point of the sending may come yet.
  if (given.FAULT_POINT !== undefined) await pause(10_000);
  await service.stop();
}

if (process.env.FAULT_PREFIX !== undefined) await main(process.env);
