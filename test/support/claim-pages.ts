import { sqlPorts } from '#adapters/sql/index.js';
import { storeWaitingEvents } from './delivery-rate.js';
import { startPostgresDatabase } from './postgres.js';
import { countBuffers } from './statement-buffers.js';

const CLAIMS = 5;

/**
 * Counts the pages that PostgreSQL reads for a claim while events of this many organizations wait: `many` for one that fills
 * 64 free slots, `one` for one that fills a single slot, the maximum of several.
 */
export async function claimPages(organizations: number) {
  const { database, url, stop } = await startPostgresDatabase();
  try {
    await storeWaitingEvents(url, { organizations, events: 2 * organizations });
    const { database: counted, take } = countBuffers(database);
    const { outbox } = sqlPorts(counted);
    const claim = async (limit: number): Promise<number> => {
      const claimed = await outbox.claim({ limit, perOrganization: 4, claim: 'a claim', at: new Date() });
      if (claimed.length !== limit) throw new Error(`${claimed.length} were claimed instead of ${limit}`);
      return take();
    };
    const many = await claim(64);
    let one = 0;
    for (let count = 0; count < CLAIMS; count += 1) one = Math.max(one, await claim(1));
    return { many, one };
  } finally {
    await stop();
  }
}

/** A claim may read some pages for each delivery, however many organizations wait. */
export function readsTooMuch({ many, one }: Awaited<ReturnType<typeof claimPages>>): boolean {
  return many > 64 * 100 || one > 100;
}
