import type { Clock } from '@rollcall/core';
import type { Logger } from '@rollcall/node';
import { type InstanceStore, runningSince } from './operator/instances.js';
import type { Part } from './part.js';
import { machineTimeZoneData, timeZoneData } from './time-zone-data.js';

const INTERVAL_MS = 60_000;

/**
 * Warns when the days of exports may begin at another time than clocks show: because this process has older time zone
 * data than the machine, or because instances on one database have different data. Each state is logged once, and none in
 * the first minute: while instances are replaced, two versions run side by side.
 */
export function createTimeZoneWatch({
  instanceStore,
  clock,
  log,
  readMachine = machineTimeZoneData,
  intervalMs = INTERVAL_MS,
}: {
  readonly instanceStore: Pick<InstanceStore, 'list'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
  readonly readMachine?: () => Promise<string | null>;
  readonly intervalMs?: number;
}): Part {
  let known = { machine: timeZoneData, instances: timeZoneData };
  let checking: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  async function check(): Promise<void> {
    // While the database is unreachable, what was last known counts.
    const running = await instanceStore.list(runningSince(clock.now())).catch(() => null);
    const versions = new Set([
      timeZoneData,
      ...(running ?? []).map((one) => one.timeZoneData ?? timeZoneData),
    ]);
    const instances = running === null ? known.instances : [...versions].sort().join(', ');
    const machine = (await readMachine()) ?? timeZoneData;

    if (machine !== known.machine && machine > timeZoneData)
      log.warn(
        { timeZoneData, machine },
        'The time zone data of Node.js is older than that of this machine. Upgrade Node.js, or set ICU_TIMEZONE_FILES_DIR.',
      );
    if (instances !== known.instances && versions.size > 1)
      log.warn(
        { timeZoneData, instances },
        'Instances have different time zone data. Run all of them on the same version of Node.js.',
      );
    known = { machine, instances };
  }

  return {
    async start() {
      timer = setInterval(() => {
        checking = check();
      }, intervalMs).unref();
    },
    async stop() {
      clearInterval(timer);
      await checking;
    },
  };
}
