/** Whether this can be the id of a record: a whole number from 1 to 2^53 - 1. */
export function isId(number: unknown): number is number {
  return Number.isSafeInteger(number) && (number as number) > 0;
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
