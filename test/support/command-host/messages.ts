/** A command to run, as the host gets it. */
export interface HostedCommand {
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Standard input in base64. */
  readonly input: string;
}

/** Follows the output of each command, on standard output and on standard error. */
export const END_OF_OUTPUT = '\u0000\u0000end of output\u0000\u0000';
