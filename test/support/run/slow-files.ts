/** The slowest test files, slowest first. They start first, so that none of them runs alone at the end. */
export const slowFiles: readonly string[] = [
  'pages/views-browser.test.ts',
  'fault/instances.test.ts',
  'pages/organization-browser.test.ts',
  'pages/docs.test.ts',
  'app/copy.test.ts',
  'contract/postgres.test.ts',
  'contract/sqlite.test.ts',
  'simulation/simulation.test.ts',
  'app/alerts.test.ts',
  'library/packages.test.ts',
  'histories/histories.test.ts',
  'app/import-follow.test.ts',
  'fault/clocks.test.ts',
  'app/exports.test.ts',
  'fault/kill.test.ts',
  'http/access.test.ts',
  'http/webhook.test.ts',
];

export function slowestFirst(files: readonly string[]): readonly string[] {
  const slow = slowFiles.filter((file) => files.includes(file));
  return [...slow, ...files.filter((file) => !slow.includes(file))];
}
