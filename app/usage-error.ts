/** The command line can't be meant as it is; told like a mistake that the parser finds, and with its exit code. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
