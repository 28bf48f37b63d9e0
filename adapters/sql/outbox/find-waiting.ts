import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sql } from '../engine/database.js';

/** The first waiting delivery of an organization. */
export interface FirstWaiting {
  readonly organizationId: number;
  readonly deliveryId: number;
  readonly createdAt: string;
}

/** The maximum number of organizations that one statement finds. */
const MAX_PIECE = 100;

/** Finds the next organizations with waiting events. Each takes one step in the index, however long its queue is. */
const piece = `
  WITH RECURSIVE firsts (organization_id, id, created_at, number) AS (
    SELECT organization_id, id, created_at, 1 FROM deliveries WHERE id = (
      SELECT id FROM deliveries WHERE state = 'pending' AND organization_id > ?
      ORDER BY organization_id, id LIMIT 1
    )
    UNION ALL
    SELECT deliveries.organization_id, deliveries.id, deliveries.created_at, number + 1
    FROM firsts CROSS JOIN deliveries ON deliveries.id = (
      SELECT id FROM deliveries WHERE state = 'pending' AND organization_id > firsts.organization_id
      ORDER BY organization_id, id LIMIT 1
    )
    WHERE number < ${MAX_PIECE}
  )
  SELECT organization_id AS "organizationId", id AS "deliveryId", created_at AS "createdAt" FROM firsts`;

/** Finds the first waiting delivery of every organization, in pieces, so that other work runs in between. */
export async function* firstWaiting(read: Sql): AsyncGenerator<readonly FirstWaiting[], void> {
  for (let after = 0; ; await nextTurn()) {
    const found = await read.all<FirstWaiting>(piece, [after]);
    if (found.length > 0) yield found;
    const last = found.at(-1);
    if (last === undefined || found.length < MAX_PIECE) return;
    after = last.organizationId;
  }
}
