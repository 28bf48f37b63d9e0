import { setTimeout as pause } from 'node:timers/promises';
import { type Claimed, type ClaimRequest, takeDeliveries } from './claim-query.js';
import { createScan } from './scan.js';
import type { Waiting, WaitingOrganization } from './waiting.js';
import type { StorageDatabase } from './waiting-deliveries.js';

/** The maximum number of organizations that one transaction checks. */
const MAX_ORGANIZATIONS = 64;
/** How often a claim waits for organizations that other processes hold. */
const MAX_BLOCKED = 10;
/** Each of these pauses is longer than the previous one by this time. */
const BLOCKED_PAUSE_MS = 1;

/**
 * Claims deliveries, one claim at a time in this process. Each claim checks, in turn, enough organizations to fill the
 * free slots, but never all of them. It searches the index only after the organization's last claim, because entries of
 * earlier deliveries stay in the index as long as any transaction can see them.
 */
export function claimer(
  { read, write }: StorageDatabase,
  waiting: Waiting,
): (request: ClaimRequest) => Promise<readonly Claimed[]> {
  const scan = createScan(read, waiting);

  async function claimOf(organizations: readonly WaitingOrganization[], request: ClaimRequest) {
    const unchecked = new Set(organizations.map(({ organizationId }) => organizationId));
    try {
      const taken = await write((sql) => takeDeliveries(sql, { organizations, request }));
      for (const [organizationId, found] of taken.found) {
        unchecked.delete(organizationId);
        waiting.settle(organizationId, found);
      }
      return taken;
    } finally {
      waiting.putBack([...unchecked]);
    }
  }

  async function claim(request: ClaimRequest): Promise<readonly Claimed[]> {
    const count = Math.min(2 * request.limit, MAX_ORGANIZATIONS);
    let hasReachedDatabase = scan.isDue() && (await scan.next());
    for (let blocked = 0; blocked < MAX_BLOCKED; ) {
      const organizations = waiting.take(count);
      if (organizations.length === 0 && scan.isRunning()) hasReachedDatabase = await scan.next();
      else if (organizations.length === 0) break;
      else {
        hasReachedDatabase = true;
        const { claimed, isBlocked } = await claimOf(organizations, request);
        if (claimed.length > 0) return claimed;
        if (isBlocked) {
          blocked += 1;
          await pause(blocked * BLOCKED_PAUSE_MS);
        }
      }
    }
    // Every claim must tell the caller whether the database answers.
    if (!hasReachedDatabase) await read.get('SELECT 1 AS answers');
    return [];
  }

  let last: Promise<unknown> = Promise.resolve();
  return (request) => {
    if (request.limit < 1) return Promise.resolve([]);
    const own = last.then(() => claim(request));
    last = own.catch(() => undefined);
    return own;
  };
}
