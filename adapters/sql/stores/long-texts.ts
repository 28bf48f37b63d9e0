import type { BeforeLongTexts } from '@rollcall/core';
import { inLists, type Sql, textForLists } from '../engine/database.js';

/** The bytes of texts that one statement reads: other requests are answered between two. */
const BATCH_BYTES = 262_144;

type TextRow = readonly [id: number, description: string | null];

const textsText = textForLists(
  (placeholders) => `SELECT meetings.id, meetings.meeting_description FROM meetings
    WHERE coalesce(meetings.organization_id, ?) = ? AND meetings.id IN (${placeholders})`,
);

interface LongTexts {
  readonly organizationId: number;
  /** The size of the description of each meeting. */
  readonly sizes: ReadonlyMap<number, number>;
  readonly beforeLongTexts: BeforeLongTexts | undefined;
}

/** Reads the descriptions of these meetings, a few at a time. */
export async function readLongTexts(
  sql: Sql,
  { organizationId, sizes, beforeLongTexts }: LongTexts,
): Promise<ReadonlyMap<number, string | null>> {
  await beforeLongTexts?.([...sizes.values()].reduce((sum, bytes) => sum + bytes, 0));
  const texts = new Map<number, string | null>();
  for (const batch of batchesOf(sizes))
    for (const list of inLists(batch)) {
      const values = [organizationId, organizationId, ...list.values];
      for (const [id, text] of await sql.rows<TextRow>(textsText(list.placeholders), values))
        texts.set(id, text);
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
