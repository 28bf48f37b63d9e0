import { type CursorKey, encodeCursor } from './cursor.js';
import { clampNumber } from './page.js';

/** Which part of a list a client asks for. */
export interface ListRequest {
  /** The number of items, from 1 to 100; 50 by default. Limited to this range and never refused. */
  readonly limit?: unknown;
  /** The `next` of an earlier result; left out: the start of the list. */
  readonly after?: string | undefined;
}

/** A part of a list. Items that are added or removed meanwhile do not move the others. */
export interface ListPart<Item> {
  /** In the order of the list. */
  readonly items: readonly Item[];
  /** The `after` for the items that follow; null: these are the last. */
  readonly next: string | null;
}

/** The number of items that a client asks for. Storages are asked for one more, which shows whether more follow. */
export function listLimit(limit: unknown): number {
  return clampNumber(limit, { from: 1, to: 100, otherwise: 50 });
}

/** Returns the part of a list. `found`: up to `limit` rows and one more; `keyOf`: the place of a row in the list. */
export function listPart<Item>(
  found: readonly Item[],
  {
    list,
    limit,
    keyOf,
  }: { readonly list: string; readonly limit: number; readonly keyOf: (item: Item) => CursorKey },
): ListPart<Item> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const next = found.length > limit && last !== undefined ? encodeCursor(list, keyOf(last)) : null;
  return { items, next };
}
