/** What can go wrong with a request to a page before any rule of the core is asked. */
export type PageProblem =
  | 'not-found'
  | 'method-not-allowed'
  | 'malformed-form'
  | 'unsupported-form'
  | 'form-too-large'
  | 'foreign-form'
  | 'stale-form'
  | 'bound-session';

/** Thrown by pages; the error page says what happened and what to do. */
export class PageError extends Error {
  override readonly name = 'PageError';
  readonly problem: PageProblem;

  constructor(problem: PageProblem) {
    super(problem);
    this.problem = problem;
  }
}
