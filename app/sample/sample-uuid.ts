import { createRandom } from './random.js';

/** The UUID of a sample user: the same for each number, and a valid version 4. */
export function sampleUuid(id: number): string {
  const random = createRandom(id * 7919);
  const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join('');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}
