import type { EncodeRow } from '#adapters/sql/engine/database.js';

/** Leaves the rows of a copy as they are, with this text behind each instead of the line feed. */
export function copiedWith(end: string): EncodeRow {
  return (row, into, at) => {
    const text = Buffer.concat([row.subarray(0, row.length - 1), Buffer.from(end)]);
    text.copy(into, at);
    return at + text.length;
  };
}
