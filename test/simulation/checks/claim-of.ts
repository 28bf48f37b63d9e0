import type { Claim, History, Send } from '../history.js';

/** The claim with which the process sent this. */
export function claimOf({ claims }: History, { eventId, process, start }: Send): Claim | undefined {
  return claims.findLast(
    (claim) => claim.eventId === eventId && claim.process === process && claim.given <= start,
  );
}
