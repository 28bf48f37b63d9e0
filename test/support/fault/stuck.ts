import type { Core } from '@rollcall/core';
import { startReceiver } from '../receiver.js';
import { watchSlowness } from '../slowness.js';
import { until } from '../wait.js';
import type { FaultReport } from './audit.js';
import { FIRST_ORGANIZATION, inspect, prepareSite } from './service.js';

/** The promised time limit of a delivery to a receiver that responds. */
const MAX_DELIVERY_MS = 2000;
const MAX_UNDER_WAY = 4;

/**
 * The receiver of one organization accepts requests but never responds, and the events of other organizations follow.
 * Measures how soon those are delivered, and how many requests the stuck receiver holds.
 */
export async function holdUpOneReceiver(given: {
  readonly healthy: number;
  readonly events: number;
  readonly stuckEvents: number;
}): Promise<FaultReport> {
  const { healthy, events, stuckEvents } = given;
  const stuck = await startReceiver({ answer: () => undefined });
  const served = await startReceiver();
  const site = await prepareSite({
    webhookUrls: [
      `${stuck.url}/stuck`,
      ...Array.from({ length: healthy }, (_, index) => `${served.url}/healthy/${index}`),
    ],
    authority: served.authority,
  });
  try {
    await site.serve();
    await site.embedded((core) =>
      registerMany(core, { organizationId: FIRST_ORGANIZATION, people: stuckEvents }),
    );
    const isStuck = await until(() => stuck.requests.length === MAX_UNDER_WAY, 5000);

    // Each round adds one event for every healthy organization, and measures the time until all are received.
    const slowness = watchSlowness();
    let maxWaitMs = 0;
    let maxOpen = stuck.open();
    for (let round = 1; round <= events; round += 1) {
      await site.embedded(async (core) => {
        for (let index = 1; index <= healthy; index += 1) {
          await registerMany(core, { organizationId: FIRST_ORGANIZATION + index, people: 1, round });
        }
      });
      const startedAt = performance.now();
      const isServed = () => {
        maxOpen = Math.max(maxOpen, stuck.open());
        return served.requests.length >= healthy * round;
      };
      await until(isServed, 10_000);
      maxWaitMs = Math.max(maxWaitMs, Math.round(performance.now() - startedAt));
    }
    const slow = slowness.stop();
    const paths = new Set(served.requests.map(({ path }) => path));
    const states = inspect(site.file, (database) =>
      database
        .prepare(
          `SELECT state || ' ' || count(*) FROM deliveries WHERE organization_id = ${FIRST_ORGANIZATION} GROUP BY state`,
        )
        .pluck()
        .all(),
    );
    const expected = [`pending ${stuckEvents - MAX_UNDER_WAY}`, `sending ${MAX_UNDER_WAY}`];
    return {
      counts: {
        'healthy organizations': paths.size,
        'events served': served.requests.length,
        'longest wait, ms': maxWaitMs,
        'timers were late by, ms': slow,
        'held by the stuck one': stuck.requests.length,
      },
      problems: [
        ...(isStuck ? [] : ['the stuck receiver did not get its four requests']),
        ...(paths.size === healthy ? [] : [`only ${paths.size} organizations were served`]),
        ...(served.requests.length === healthy * events ? [] : [`${served.requests.length} events served`]),
        ...(maxWaitMs <= MAX_DELIVERY_MS + 3 * slow ? [] : [`an organization waited ${maxWaitMs} ms`]),
        ...(maxOpen <= MAX_UNDER_WAY ? [] : [`${maxOpen} requests to one organization at once`]),
        ...(states.join() === expected.join() ? [] : [`the stuck organization: ${states}`]),
      ],
    };
  } finally {
    await site.remove();
    await Promise.all([stuck.stop(), served.stop()]);
  }
}

async function registerMany(
  core: Core,
  registered: { readonly organizationId: number; readonly people: number; readonly round?: number },
): Promise<void> {
  const { organizationId, people, round = 0 } = registered;
  for (let person = 1; person <= people; person += 1) {
    const email = `person-${organizationId}-${round}-${person}@example.test`;
    await core.registerUser({ email, firstName: 'Ada', lastName: 'Lovelace', organizationId });
  }
}
