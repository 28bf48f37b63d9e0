/** The command line is wrong. Reported like the parser's own mistakes, with the same exit code. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
