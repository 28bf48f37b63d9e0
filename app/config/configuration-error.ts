/** One problem in the configuration. */
export interface ConfigurationProblem {
  /** The variable, or the option of a command, that is wrong. */
  readonly name: string;
  /** What is wrong and what is allowed. */
  readonly message: string;
}

/** Runs the work, whose errors are problems of this name. */
export function asProblemOf<Result>(name: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError([{ name, message }]);
  }
}

/** All problems in the configuration. Its message has a line for each, which starts with the name. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly ConfigurationProblem[];

  constructor(problems: readonly ConfigurationProblem[]) {
    super(problems.map(({ name, message }) => `${name}: ${message}`).join('\n'));
    this.problems = problems;
  }
}
