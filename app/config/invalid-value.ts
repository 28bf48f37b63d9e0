/** A reason with more detail than the allowed values. */
export class InvalidValue extends Error {}

export function refuse(reason?: string): never {
  throw reason === undefined ? new Error('not allowed') : new InvalidValue(reason);
}
