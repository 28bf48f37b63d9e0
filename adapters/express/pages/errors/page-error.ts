/** The problems that a request to a page can have before the core sees it. */
export type PageProblem =
  | 'not-found'
  | 'method-not-allowed'
  | 'malformed-form'
  | 'unsupported-form'
  | 'form-too-large'
  | 'cross-origin-form'
  | 'expired-form'
  | 'bound-session'
  | 'too-many-visits';

/** Thrown by pages. The error page says what happened and what to do. */
export class PageError extends Error {
  override readonly name = 'PageError';
  readonly problem: PageProblem;
  /** Seconds to wait before a retry, if known. */
  readonly retryAfter: number | null;

  constructor(problem: PageProblem, retryAfter: number | null = null) {
    super(problem);
    this.problem = problem;
    this.retryAfter = retryAfter;
  }
}
