/**
 * The files that take longest, the longest first. They start first, so that no core is idle while the last of them
 * runs; the others follow in their order.
 */
export const slowFiles: readonly string[] = ['contract/postgres.test.ts', 'http/http.test.ts'];

export function longestFirst(files: readonly string[]): readonly string[] {
  const slow = slowFiles.filter((file) => files.includes(file));
  return [...slow, ...files.filter((file) => !slow.includes(file))];
}
