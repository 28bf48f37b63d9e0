/** Whether something can have this id: a whole number from 1 to 2^53 - 1. */
export function isId(id: number): boolean {
  return Number.isSafeInteger(id) && id > 0;
}

/** Whether a text is a UUID, in any case. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
