import type { BeforeLongTexts } from '@rollcall/core';
import type { Sql } from '../engine/database.js';
import { inLists } from '../engine/sql-text.js';
import { storedIn } from '../engine/stored.js';

/** The bytes of texts that one statement reads: other requests are answered between two. */
const BATCH_BYTES = 262_144;

const longText = storedIn('meetings', { id: 'whole', meetingDescription: 'textOrNull' });

interface LongTexts {
  readonly organizationId: number;
  /** The size of the description of each meeting. */
  readonly sizes: ReadonlyMap<number, number>;
  readonly beforeLongTexts: BeforeLongTexts | undefined;
}

/** Reads the descriptions of these meetings, a few at a time. */
export async function readLongTexts(sql: Sql, { organizationId, sizes, beforeLongTexts }: LongTexts) {
  await beforeLongTexts?.([...sizes.values()].reduce((sum, bytes) => sum + bytes, 0));
  const texts = new Map<number, string | null>();
  for (const batch of batchesOf(sizes))
    for (const list of inLists(batch)) {
      const found = await longText.all(sql)`FROM meetings
        WHERE coalesce(organization_id, ${organizationId}) = ${organizationId} AND id IN (${list})`;
      for (const { id, meetingDescription } of found) texts.set(id, meetingDescription);
    }
  return texts;
}

function batchesOf(sizes: ReadonlyMap<number, number>): readonly (readonly number[])[] {
  const batches: number[][] = [];
  let left = 0;
  for (const [id, bytes] of sizes) {
    if (bytes > left) {
      batches.push([]);
      left = BATCH_BYTES;
    }
    batches.at(-1)?.push(id);
    left -= bytes;
  }
  return batches;
}
