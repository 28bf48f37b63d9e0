/** The slowest test files, slowest first. They start first, so that none of them runs alone at the end. */
export const slowFiles: readonly string[] = [
  'http/hostile-values.test.ts',
  'http/access.test.ts',
  'http/webhook.test.ts',
  'contract/postgres.test.ts',
  'app/import.test.ts',
  'app/import-databases.test.ts',
  'app/deliveries.test.ts',
  'app/demo.test.ts',
  'app/demo-restart.test.ts',
  'app/exit-codes.test.ts',
  'library/library.test.ts',
  'app/import-identity.test.ts',
  'app/collisions.test.ts',
];

export function slowestFirst(files: readonly string[]): readonly string[] {
  const slow = slowFiles.filter((file) => files.includes(file));
  return [...slow, ...files.filter((file) => !slow.includes(file))];
}
