import { Refusal, Unavailable } from '@rollcall/core';
import { HttpError } from '../errors.js';
import { wireText } from '../wire-names.js';

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

/** Only known refusals are the client's fault. The text of an unexpected error is not shown. */
export function directoryErrorAnswer(error: unknown): DirectoryErrorAnswer {
  if (error instanceof DirectoryError) {
    const { status, scimType, message: detail } = error;
    return { status, scimType, detail, headers: [] };
  }
  if (error instanceof Refusal) return refusalAnswer(error);
  if (error instanceof Unavailable)
    return {
      status: 503,
      ...{ scimType: null, detail: 'Try again later', headers: retryAfter(error.retryAfter) },
    };
  if (error instanceof HttpError) return httpErrorAnswer(error);
  // Express could not decode a part of the path.
  if (error instanceof URIError) return httpErrorAnswer(new HttpError('invalid-request'));
  return { status: 500, scimType: null, detail: 'Internal Server Error', headers: [] };
}

function refusalAnswer(refusal: Refusal): DirectoryErrorAnswer {
  const { code, problems, message, retryAfter: seconds } = refusal;
  const detail = problems.length === 0 ? message : problems.map((problem) => wireText(problem)).join('; ');
  const answer = { scimType: null, detail, headers: [] };
  switch (code) {
    case 'directory-unauthorized':
      return { ...answer, status: 401, headers: ['WWW-Authenticate', 'Bearer realm="directory"'] };
    case 'too-many-requests':
      return { ...answer, status: 429, headers: retryAfter(seconds ?? 1) };
    case 'invalid-request':
      return { ...answer, status: 400, scimType: 'invalidValue' };
    case 'directory-person-unknown':
      return { ...answer, status: 404 };
    case 'directory-taken':
      return { ...answer, status: 409, scimType: 'uniqueness' };
    case 'last-owner':
    case 'directory-not-written':
      return { ...answer, status: 409 };
    default:
      return { ...answer, status: 500, detail: 'Internal Server Error' };
  }
}

const statuses: Readonly<Partial<Record<HttpError['code'], number>>> = {
  'malformed-body': 400,
  'invalid-request': 400,
  'body-too-large': 413,
  'unsupported-media-type': 415,
  'too-many-requests': 429,
  'unknown-path': 404,
  'method-not-allowed': 501,
  unavailable: 503,
};

function httpErrorAnswer({ code, message: detail, headers }: HttpError): DirectoryErrorAnswer {
  const status = statuses[code] ?? 500;
  const scimType = status === 400 ? 'invalidSyntax' : null;
  return { status, scimType, detail, headers: Object.entries(headers).flat() };
}

function retryAfter(seconds: number): readonly string[] {
  return ['Retry-After', String(Math.max(1, Math.ceil(seconds)))];
}
