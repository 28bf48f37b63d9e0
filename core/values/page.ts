/** The number of a page, from 1, and its size. */
export interface Page {
  /** From 1. */
  readonly page: number;
  /** The number of items on a full page, from 1. */
  readonly size: number;
}

/** A page with its items and the totals. */
export interface PageOf<Item> extends Page {
  /** The items of this page in the order of the list; empty for a page past the end. */
  readonly items: readonly Item[];
  /** The number of items on all pages. */
  readonly totalItems: number;
  /** 0 when nothing matches. */
  readonly totalPages: number;
}

/** Which page of a list a client asks for. Both numbers are limited to their range and never refused. */
export interface PageRequest {
  /** From 1, which is the default. */
  readonly page?: unknown;
  /** The number of items on a page, from 1 to 100; 50 by default. */
  readonly size?: unknown;
}

/** One page of an organization's rows. */
export interface OrganizationRows {
  /** Only rows of this organization count and are returned. */
  readonly organizationId: number;
  /** The number of rows to skip, from 0. Past the end: no rows, and the same total. */
  readonly offset: number;
  /** The maximum number of rows to return, from 1. */
  readonly limit: number;
}

const MAX_PAGE = 1_000_000_000;

/**
 * Reads a number that a client sent. A number out of range becomes the nearest end of the range, a fraction is cut off,
 * and anything else becomes `otherwise`: a page number is never a reason to refuse a request.
 */
export function clampNumber(
  input: unknown,
  range: { readonly from: number; readonly to: number; readonly otherwise: number },
): number {
  const number = wholeNumber(input);
  if (number === null) return range.otherwise;
  return Math.min(Math.max(number, range.from), range.to);
}

/**
 * Reads a page number and a size that a client sent, as `clampNumber` does: `page` from 1, the default, and `size` from
 * 1 to 100.
 */
export function clampPage(input: {
  readonly page: unknown;
  readonly size?: unknown;
  readonly defaultSize: number;
}): Page {
  return {
    page: clampNumber(input.page, { from: 1, to: MAX_PAGE, otherwise: 1 }),
    size: clampNumber(input.size, { from: 1, to: 100, otherwise: input.defaultSize }),
  };
}

/** The number of rows before the page. */
export function pageOffset(page: Page): number {
  return (page.page - 1) * page.size;
}

export function pageOf<Item>(
  page: Page,
  { items, total }: { readonly items: readonly Item[]; readonly total: number },
): PageOf<Item> {
  return { ...page, items, totalItems: total, totalPages: totalPages(total, page.size) };
}

/** 0 when nothing matches. */
export function totalPages(totalItems: number, size: number): number {
  return Math.ceil(totalItems / size);
}

function wholeNumber(input: unknown): number | null {
  if (typeof input === 'number') return Number.isNaN(input) ? null : Math.trunc(input);
  if (typeof input !== 'string' || !/^\s*[+-]?\d{1,400}(?:\.\d{1,400})?\s*$/.test(input)) return null;
  return Math.trunc(Number(input));
}
