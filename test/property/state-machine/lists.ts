import fc from 'fast-check';
import { Cell, Compared, type Draft, difference, forms, shown } from './cell.js';
import { maybe } from './choices.js';
import { type Answer, type Call, refused } from './command.js';
import { type Cursor, type OrganizationModel, pick } from './model.js';

/** Which part of a list is asked for. */
export interface Part {
  readonly limit: string | undefined;
  /** `again`: the next page of an earlier answer. The others are no cursors of this list. */
  readonly after: 'again' | 'made-up' | 'of-another-list' | undefined;
  readonly chosen: number;
}

export const part: fc.Arbitrary<Part> = fc.record({
  limit: maybe(fc.constantFrom('1', '1', '2', '2', '3', '0', '-4', '2.9', 'many', '5000')),
  after: fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 6, arbitrary: fc.constant('again' as const) },
    { weight: 1, arbitrary: fc.constant('made-up' as const) },
    { weight: 1, arbitrary: fc.constant('of-another-list' as const) },
  ),
  chosen: fc.nat({ max: 5 }),
});

/** The first page of a list, with more to come. */
export const firstPart: fc.Arbitrary<Part> = fc.record({
  limit: fc.constantFrom('1', '2'),
  after: fc.constant(undefined),
  chosen: fc.constant(0),
});

/** The page after the one that was read last. */
export const nextPart: fc.Arbitrary<Part> = fc.record({
  limit: fc.constantFrom('1', '2', undefined),
  after: fc.constant('again' as const),
  chosen: fc.constant(0),
});

/** The limit that a text means: clamped, without its fraction, or the default. */
export function limitOf(text: string | undefined, max: number): number {
  const number = Number(text);
  if (text === undefined || Number.isNaN(number)) return 50;
  return Math.min(max, Math.max(1, Math.trunc(number)));
}

export const unknownCursor = refused(400, 'invalid-request', 'after must be the `next` of an earlier answer');

/** The request of a part of a list: from the beginning, or on from a cursor, whose filters it repeats. */
interface ListRequest {
  readonly query: NonNullable<Call['query']>;
  /** The filters. */
  readonly filters: readonly (readonly [string, string])[];
  readonly from: Cursor | null;
  readonly isUnknown: boolean;
}

export function requestOf(
  organization: OrganizationModel,
  other: OrganizationModel,
  {
    list,
    filters,
    part: { limit, after, chosen },
  }: {
    readonly list: Cursor['list'];
    readonly filters: readonly (readonly [string, string | undefined])[];
    readonly part: Part;
  },
): ListRequest {
  const own = organization.cursors.filter((cursor) => cursor.list === list);
  // Of the same list, another organization's cursor is a place in the order that both have, and may be accepted.
  const foreign = [...other.cursors, ...organization.cursors].filter((cursor) => cursor.list !== list);
  const from = after === 'again' ? (pick([...own].reverse(), chosen) ?? null) : null;
  const given = filters.filter((filter): filter is [string, string] => filter[1] !== undefined);
  const wrong = after === 'of-another-list' ? pick(foreign, chosen)?.cell : undefined;
  const cursor = from?.cell ?? wrong ?? (after === 'made-up' ? 'MQ' : undefined);
  const kept = from?.query ?? given;
  return {
    filters: kept,
    from,
    isUnknown: from === null && cursor !== undefined,
    query: [
      ...kept,
      ...(limit === undefined ? [] : [['limit', limit] as const]),
      ...(cursor === undefined ? [] : [['after', cursor] as const]),
    ],
  };
}

/** The filter's value, if the request has it. */
export function filterOf({ filters }: ListRequest, name: string): string | undefined {
  return filters.find(([filter]) => filter === name)?.[1];
}

/** Where a page ended. */
interface Place<Entry> {
  readonly at: string | number;
  readonly returned: ReadonlySet<Entry>;
}

/** The answer with a part of the entries, which are in the order of the list, apart from those of one place. */
export function listAnswer<Entry>(
  organization: OrganizationModel,
  request: ListRequest,
  given: {
    readonly list: Cursor['list'];
    readonly noun: string;
    readonly limit: number;
    readonly entries: readonly Entry[];
    /** What the list is ordered by. Entries of one place have no promised order. */
    readonly placeOf: (entry: Entry) => string | number;
    readonly isAscending: boolean;
    readonly idOf: (entry: Entry) => Cell;
    readonly bodyOf: (entry: Entry) => unknown;
  },
): Answer {
  const { list, noun, limit, entries, placeOf, isAscending, idOf, bodyOf } = given;
  const from = (request.from?.after ?? null) as Place<Entry> | null;
  const left = entries.filter((entry) => {
    if (from === null) return true;
    const at = placeOf(entry);
    if (at === from.at) return !from.returned.has(entry);
    return at > from.at === isAscending;
  });
  const chosen: Entry[] = [];
  const compare = (seen: unknown, draft: Draft, path: string): string | null => {
    const count = Math.min(limit, left.length);
    if (!Array.isArray(seen)) return `${path} is not a list`;
    if (seen.length !== count) return `${path} has ${seen.length} items, not ${count}: ${text()}`;
    for (let index = 0; index < count; index += 1) {
      const same = left
        .filter((entry) => !chosen.includes(entry) && placeOf(entry) === placeOf(left[index] as Entry))
        .sort((one, two) => Number(idOf(two).value !== undefined) - Number(idOf(one).value !== undefined));
      const differences: string[] = [];
      for (const entry of same) {
        const tried = draft.copy();
        const found = difference(bodyOf(entry), seen[index], tried, `${path}[${index}]`);
        if (found === null) {
          draft.take(tried);
          chosen.push(entry);
          break;
        }
        differences.push(found);
      }
      if (chosen.length === index) return differences.join('\n  or ');
    }
    return null;
  };
  const text = (): string =>
    left
      .slice(0, limit)
      .map((entry) => shown(bodyOf(entry)))
      .join(', ');
  const hasMore = left.length > limit;
  // The cursor of a person who is a member of both organizations is the same in both.
  const next = new Cell(forms.cursor, list === 'users' ? null : organization.index);
  return {
    status: 200,
    headers: { link: hasMore ? /^<http:\/\/localhost:3000\/\S+after=\S+>; rel="next"$/ : undefined },
    body: {
      success: true,
      [noun]: new Compared(`the ${noun} in their order: ${text()}`, compare),
      next: hasMore ? next : null,
    },
    effect: () => {
      const last = chosen.at(-1);
      if (!hasMore || last === undefined) return;
      const at = placeOf(last);
      const before = from?.at === at ? from.returned : [];
      const returned = new Set([...before, ...chosen.filter((entry) => placeOf(entry) === at)]);
      organization.cursors.push({ list, cell: next, query: request.filters, after: { at, returned } });
    },
  };
}
