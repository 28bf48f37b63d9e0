import { type Part, runParts } from '../support/fault/parts.js';
import { rotateUnderLoad } from '../support/rotate-under-load.js';

/**
 * A receiver rotates its secret while 2,000 people register: `npm run test:soak -- rotation`. A receiver that
 * knows only section 6.3 must be able to verify every event.
 */
const EVENTS = 2_000;

const parts: readonly Part[] = (['sqlite', 'postgres'] as const).map((database) => ({
  name: `${EVENTS} events over ${database}`,
  maxSeconds: 600,
  async run() {
    const ends: (() => unknown)[] = [];
    try {
      const context = { after: (end: () => unknown) => void ends.unshift(end) };
      const { received, refused, states } = await rotateUnderLoad(context, { database, events: EVENTS });
      const isRight = received === EVENTS && refused === 0 && states.delivered === EVENTS;
      const counts = { received, refused, ...states };
      return { counts, problems: isRight ? [] : ['an event was not verified, or not once'] };
    } finally {
      for (const end of ends) await end();
    }
  },
}));

await runParts(parts);
