/**
 * Chance without a state: the same two numbers always give the same result, so that removing one step of a simulation
 * does not change what chance decides for the others.
 */
export function mix(key: number, index: number): number {
  let hash = (key ^ Math.imul(index + 0x6d2b79f5, 0x9e3779b1)) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** From 0 to less than 1. */
export function fraction(key: number, index: number): number {
  return mix(key, index) / 4_294_967_296;
}

/** A number of 32 bits for a text. */
export function textKey(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
