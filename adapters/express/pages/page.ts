import type { Request, Response } from 'express';
import type { LargeForm } from './form-guard.js';
import type { SetHeaders } from './page-headers.js';

export type PageHandler = (request: Request, response: Response) => Promise<void> | void;

/** One address and its handlers. `get` changes nothing. `post` gets only forms that the guard accepted. */
export interface Page {
  readonly path: string;
  /** Replaces the usual headers. */
  readonly headers?: SetHeaders;
  readonly get?: PageHandler;
  readonly post?: PageHandler;
  /** Also answers clients that accept no HTML. Such a page counts its visits itself. */
  readonly isForPrograms?: boolean;
  /** For a form with a long text. */
  readonly largeForm?: LargeForm;
  /** For a form that is given back if it has expired. */
  readonly keptForm?: KeptForm;
  /** For a form that anyone may send: shows it again if it has expired. */
  readonly expired?: PageHandler;
}

/** A form of an organization that is given back if it, or the session, has expired when it is sent. */
export interface KeptForm {
  /** The fields that are given back. Never a password or another secret. */
  readonly fields: readonly string[];
  /** Shows the page with the form. By default the one at the path to which it is sent. */
  readonly show?: PageHandler;
}
