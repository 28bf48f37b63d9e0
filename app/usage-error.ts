/** The command line makes no sense. It is reported as the parser reports a mistake, with the same exit code. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
