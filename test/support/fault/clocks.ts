import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresServer } from '../postgres-server.js';
import { shiftedBy } from '../shifted-clock.js';
import { until } from '../wait.js';
import type { FaultReport } from './audit.js';
import { type Instance, type PostgresSite, preparePostgresSite, untilFinal } from './postgres.js';
import { registrations } from './process.js';

const FIVE_MINUTES_MS = 300_000;
const END_TIMEOUT_MS = 90_000;
const START_TIMEOUT_MS = 120_000;

/**
 * Three instances register people and deliver to a slow receiver. One has the right time, one is five minutes ahead,
 * and one is five minutes behind. They run for longer than it takes until stale claims are recovered.
 */
export async function deliverWithWrongClocks({
  server,
  people,
  seconds,
  meanwhile = async () => {},
}: {
  readonly server: Pick<PostgresServer, 'url'>;
  readonly people: number;
  /** How long they run at least. */
  readonly seconds: number;
  /** Gets the instances that are ahead and behind, after people have registered. */
  readonly meanwhile?: (site: PostgresSite, ahead: Instance, behind: Instance) => Promise<void>;
}): Promise<FaultReport> {
  const site = await preparePostgresSite({
    server,
    // With four simultaneous deliveries each, sixteen events can be delivered per second.
    organizations: 12,
    answer: (_request, response) => setTimeout(() => response.end('ok'), 3000),
  });
  try {
    const instances: Instance[] = [];
    for (const [index, shift] of [0, FIVE_MINUTES_MS, -FIVE_MINUTES_MS].entries()) {
      instances.push(
        await site.spawn({
          env: shiftedBy(shift),
          registering: {
            ...{ prefix: `clock-${index + 1}`, people: Math.ceil(people / 3), atOnce: 2, pauseMs: 100 },
          },
        }),
      );
      // One at a time, because three simultaneous starts take too long on a busy machine.
      const isListening = () => /"msg":"Listening"/.test(instances.at(-1)?.process.stdout() ?? '');
      if (!(await until(isListening, START_TIMEOUT_MS))) throw new Error('an instance does not start');
    }
    const startedAt = performance.now();
    const processes = instances.map(({ process }) => process);
    const isRegistered = await until(() => processes.every(({ stdout }) => /^\.$/m.test(stdout())), 60_000);
    const [, ahead, behind] = instances;
    if (ahead !== undefined && behind !== undefined) await meanwhile(site, ahead, behind);
    const end = await untilFinal(site, END_TIMEOUT_MS);
    await pause(Math.max(seconds * 1000 - (performance.now() - startedAt), 0));
    const warned = processes.filter(({ stdout }) =>
      /"msg":"The clock of this machine differs/.test(stdout()),
    );
    const codes = await Promise.all(processes.map(async (one) => (await one.stop()).code));
    const report = await site.audit(registrations(processes));
    return {
      counts: { ...report.counts, 'warned of their clock': warned.length },
      problems: [
        ...report.problems,
        ...(isRegistered ? [] : ['not everyone was registered']),
        ...(end === null ? [`${await site.unfinished()} deliveries have no outcome`] : []),
        ...(report.counts['received again'] === 0
          ? []
          : [`received again: ${report.counts['received again']}`]),
        ...(report.counts['attempts cut off'] === 0 ? [] : [`cut off: ${report.counts['attempts cut off']}`]),
        ...(warned.length === 2
          ? []
          : [`${warned.length} instances have warned of their clock instead of 2`]),
        ...codes.filter((code) => code !== 0).map((code) => `an instance ended with ${code}`),
      ],
    };
  } finally {
    await site.remove();
  }
}
