/** What can go wrong with a request to a page before any rule of the core is asked. */
export type PageProblem =
  | 'not-found'
  | 'method-not-allowed'
  | 'malformed-form'
  | 'unsupported-form'
  | 'form-too-large'
  | 'foreign-form'
  | 'stale-form'
  | 'bound-session'
  | 'too-many-visits';

/** Thrown by pages; the error page says what happened and what to do. */
export class PageError extends Error {
  override readonly name = 'PageError';
  readonly problem: PageProblem;
  /** Seconds after which asking again makes sense, where that is known. */
  readonly retryAfter: number | null;

  constructor(problem: PageProblem, retryAfter: number | null = null) {
    super(problem);
    this.problem = problem;
    this.retryAfter = retryAfter;
  }
}
