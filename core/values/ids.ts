/** Whether this can be the id of a record: a whole number from 1 to 2^53 - 1. */
export function isId(id: unknown): id is number {
  return Number.isSafeInteger(id) && (id as number) > 0;
}

/**
 * Returns an id that the program already knows, such as that of an organization that `authorize` returned. A wrong one
 * is a mistake in the program: throws a `TypeError` that names the argument. An id that may come from a request is
 * checked with `mayBeId` instead and refused like the id of no record.
 */
export function checkId(argument: string, id: unknown): number {
  if (isId(id)) return id;
  throw notAnId(argument, id);
}

/** Whether a record can have this id. An id that is not a number is a mistake in the program: throws a `TypeError`. */
export function mayBeId(argument: string, id: unknown): id is number {
  if (typeof id !== 'number') throw notAnId(argument, id);
  return isId(id);
}

function notAnId(argument: string, id: unknown): TypeError {
  const found = typeof id === 'number' ? id : typeof id;
  return new TypeError(`${argument} must be a whole number from 1 to 2^53 - 1, not ${found}`);
}

/** Whether this is a UUID, in upper or lower case. */
export function isUuid(id: unknown): id is string {
  return typeof id === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
}

/** Whether this is a UUID. One that is not a text is a mistake in the program: throws a `TypeError`. */
export function mayBeUuid(argument: string, id: unknown): id is string {
  checkText(argument, id);
  return isUuid(id);
}

/** Throws a `TypeError` that names the argument, unless it is a text. */
export function checkText(argument: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw new TypeError(`${argument} must be a text, not ${typeof value}`);
}
