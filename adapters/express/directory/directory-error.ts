import { Refusal, type RefusalCode, Unavailable } from '@rollcall/core';
import { errorAnswer, type OtherAnswers } from '../errors.js';

/** The kinds of errors of SCIM (RFC 7644, section 3.12) that this service names. */
export type ScimType =
  | 'invalidFilter'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'uniqueness';

/** A request of a directory that cannot be done as it was sent. */
export class DirectoryError extends Error {
  override readonly name = 'DirectoryError';
  readonly status: number;
  readonly scimType: ScimType | null;

  /** `detail`: one sentence for people, without a value that was sent. */
  constructor(status: number, scimType: ScimType | null, detail: string) {
    super(detail);
    this.status = status;
    this.scimType = scimType;
  }
}

/** An error as a directory gets it. */
export interface DirectoryErrorAnswer {
  readonly status: number;
  readonly scimType: ScimType | null;
  readonly detail: string;
  /** Alternating names and values. */
  readonly headers: readonly string[];
}

/** The refusals that are the client's fault, with the kind that SCIM has for them. */
const refusals: Readonly<Partial<Record<RefusalCode, ScimType | null>>> = {
  'directory-unauthorized': null,
  'too-many-requests': null,
  'invalid-request': 'invalidValue',
  'directory-person-unknown': null,
  'directory-taken': 'uniqueness',
  'last-owner': null,
  'directory-not-written': null,
};

const others: OtherAnswers = { 'last-owner': { status: 409, code: 'invalid-request' } };

/** The text of an unexpected error is not shown. */
export function directoryErrorAnswer(error: unknown): DirectoryErrorAnswer {
  if (error instanceof DirectoryError) {
    const { status, scimType, message: detail } = error;
    return { status, scimType, detail, headers: [] };
  }
  const isKnown = !(error instanceof Refusal) || refusals[error.code] !== undefined;
  const { status, headers, body } = errorAnswer(isKnown ? error : null, others);
  const ofRefusal = error instanceof Refusal ? refusals[error.code] : undefined;
  const isUnauthorized = status === 401;
  return {
    status,
    scimType: ofRefusal ?? (ofRefusal === undefined && status === 400 ? 'invalidSyntax' : null),
    // What the API says of an outage is about its idempotency keys.
    detail: error instanceof Unavailable ? 'Try again later' : 'error' in body ? body.error : 'Bad Request',
    headers: [
      ...(isUnauthorized ? ['WWW-Authenticate', 'Bearer realm="directory"'] : []),
      ...Object.entries(headers).flat(),
    ],
  };
}
