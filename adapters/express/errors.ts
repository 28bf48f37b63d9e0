import type { components, operatorComponents } from '@rollcall/contracts';
import { CursorExpired, Refusal, type RefusalCode, Unavailable } from '@rollcall/core';
import { wireText } from './wire-names.js';

/** The closed list of `X-Error-Code`, in both documents. */
export type ErrorCode = components['schemas']['ErrorCode'] | operatorComponents['schemas']['ErrorCode'];

interface Kind {
  readonly status: number;
  readonly code: ErrorCode;
}

/**
 * The answer to every refusal of the core. Some happen only on pages; they are listed so that the table is complete.
 */
const refusals: Readonly<Record<RefusalCode, Kind>> = {
  'invalid-access-key': { status: 401, code: 'invalid-access-key' },
  'unauthorized-access': { status: 401, code: 'unauthorized-access' },
  'not-authorized': { status: 401, code: 'not-authorized' },
  'invalid-request': { status: 400, code: 'invalid-request' },
  'invalid-webhook': { status: 422, code: 'invalid-webhook' },
  'already-member': { status: 400, code: 'already-member' },
  'member-not-found': { status: 404, code: 'member-not-found' },
  'user-not-found': { status: 400, code: 'user-not-found' },
  'invitation-pending': { status: 400, code: 'invitation-pending' },
  'too-many-requests': { status: 429, code: 'too-many-requests' },
  'invitation-unknown': { status: 404, code: 'invitation-unknown' },
  'invitation-used': { status: 400, code: 'invitation-closed' },
  'invitation-revoked': { status: 400, code: 'invitation-closed' },
  'invitation-expired': { status: 400, code: 'invitation-closed' },
  'sign-in-required': { status: 400, code: 'invalid-request' },
  'login-link-unknown': { status: 400, code: 'invalid-request' },
  'login-link-used': { status: 400, code: 'invalid-request' },
  'login-link-expired': { status: 400, code: 'invalid-request' },
  'password-reset-ended': { status: 400, code: 'invalid-request' },
  'mail-not-configured': { status: 400, code: 'invalid-request' },
  'wrong-credentials': { status: 400, code: 'invalid-request' },
  'organization-not-found': { status: 400, code: 'invalid-request' },
  'delivery-not-found': { status: 404, code: 'delivery-not-found' },
  'delivery-erased': { status: 410, code: 'delivery-erased' },
  'second-step-required': { status: 400, code: 'invalid-request' },
  'second-step-ended': { status: 400, code: 'invalid-request' },
  'wrong-second-factor': { status: 400, code: 'invalid-request' },
  'second-factor-required': { status: 400, code: 'invalid-request' },
  'second-factor-not-found': { status: 400, code: 'invalid-request' },
  'passkey-registered': { status: 400, code: 'invalid-request' },
  'role-too-low': { status: 400, code: 'invalid-request' },
  'session-not-found': { status: 400, code: 'invalid-request' },
  'session-not-started': { status: 400, code: 'invalid-request' },
  'sign-on-required': { status: 400, code: 'invalid-request' },
  'sign-on-off': { status: 400, code: 'invalid-request' },
  'sign-on-ended': { status: 400, code: 'invalid-request' },
  'sign-on-refused': { status: 400, code: 'invalid-request' },
  'sign-on-failed': { status: 400, code: 'invalid-request' },
  'sign-on-unreachable': { status: 503, code: 'unavailable' },
  'sign-on-not-admitted': { status: 400, code: 'invalid-request' },
  'mail-not-sent': { status: 503, code: 'unavailable' },
  'sign-on-untested': { status: 400, code: 'invalid-request' },
  'sign-on-outdated': { status: 400, code: 'invalid-request' },
  'logout-token-invalid': { status: 400, code: 'invalid-request' },
  'identity-not-found': { status: 400, code: 'invalid-request' },
  'directory-unauthorized': { status: 401, code: 'unauthorized-access' },
  'directory-person-unknown': { status: 404, code: 'member-not-found' },
  'directory-taken': { status: 409, code: 'invalid-request' },
  'directory-not-written': { status: 409, code: 'invalid-request' },
  'directory-token-outdated': { status: 400, code: 'invalid-request' },
  'setup-link-unknown': { status: 400, code: 'invalid-request' },
  'session-bound': { status: 400, code: 'invalid-request' },
  'is-owner': { status: 400, code: 'invalid-request' },
  'in-other-organization': { status: 409, code: 'in-other-organization' },
  'last-owner': { status: 400, code: 'invalid-request' },
  'access-key-outdated': { status: 400, code: 'invalid-request' },
  'webhook-outdated': { status: 400, code: 'invalid-request' },
  'idempotency-key-reused': { status: 422, code: 'idempotency-key-reused' },
  'idempotency-key-in-use': { status: 409, code: 'idempotency-key-in-use' },
  'cursor-expired': { status: 410, code: 'cursor-expired' },
  'webhook-test-under-way': { status: 409, code: 'webhook-test-under-way' },
  'calendar-feed-unknown': { status: 400, code: 'invalid-request' },
  'meeting-not-found': { status: 400, code: 'invalid-request' },
};

/** The errors of HTTP that are not refusals of the core, with their usual texts. */
const httpErrors = {
  'invalid-request': { status: 400, text: 'Bad Request' },
  'unauthorized-access': { status: 401, text: 'Unauthorized Access' },
  'malformed-body': { status: 400, text: 'The body cannot be read' },
  'export-failed': { status: 400, text: 'The export failed' },
  'unknown-path': { status: 404, text: 'Not Found' },
  'method-not-allowed': { status: 405, text: 'Method Not Allowed' },
  'request-timeout': { status: 408, text: 'Request Timeout' },
  'body-too-large': { status: 413, text: 'The body is larger than 100 KB' },
  'unsupported-media-type': { status: 415, text: 'Unsupported Media Type' },
  'too-many-requests': { status: 429, text: 'Too Many Requests' },
  'headers-too-large': { status: 431, text: 'Request Header Fields Too Large' },
  'internal-error': { status: 500, text: 'Internal Server Error' },
  unavailable: { status: 503, text: 'Service Unavailable' },
} as const satisfies Partial<Record<ErrorCode, { readonly status: number; readonly text: string }>>;

export type HttpErrorCode = keyof typeof httpErrors;

/** A refusal for a reason of HTTP, not for a rule of the core. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly code: HttpErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: HttpErrorCode,
    options: { readonly text?: string; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(options.text ?? httpErrors[code].text);
    this.code = code;
    this.headers = options.headers ?? {};
  }
}

/** An export that failed unexpectedly (section 4.6). Its `cause` is the reason. */
export class ExportFailed extends HttpError {
  constructor(cause: unknown) {
    super('export-failed');
    this.cause = cause;
  }
}

/** Records that were refused, with the errors in their lines. */
export class RecordsRefused extends Error {
  override readonly name = 'RecordsRefused';
  readonly errors: readonly RecordError[];
  /** The number of other lines that are wrong. */
  readonly further: number;

  constructor(errors: readonly RecordError[], further: number) {
    super('records are wrong');
    this.errors = errors;
    this.further = further;
  }
}

/** An error in a line; null: in no single line, or in no single field. */
export type RecordError = Readonly<operatorComponents['schemas']['RecordError']>;

/** The client left while its body was being read, so there is nothing to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** The answer to an error. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body:
    | { readonly error: string }
    | { readonly success: false; readonly errors: readonly string[] }
    | operatorComponents['schemas']['RefusedRecords'];
}

/** Answers to refusals that differ from the usual ones. */
export type OtherAnswers = Partial<Readonly<Record<RefusalCode, Kind>>>;

const OUTCOME_UNKNOWN =
  'Service Unavailable: the outcome is unknown. Check it, or repeat the request with the same Idempotency-Key';

/** Returns the answer to a thrown error. The text of an unexpected error is not shown. */
export function errorAnswer(error: unknown, others: OtherAnswers = {}): ErrorAnswer {
  if (error instanceof Refusal) return refusalAnswer(error, others[error.code] ?? refusals[error.code]);
  if (error instanceof RecordsRefused) return recordsAnswer(error);
  if (error instanceof HttpError) return httpErrorAnswer(error);
  if (error instanceof Unavailable)
    return httpErrorAnswer(
      unavailable(error.retryAfter, error.isOutcomeUnknown ? OUTCOME_UNKNOWN : undefined),
    );
  // Express could not decode a part of the path.
  if (error instanceof URIError) return httpErrorAnswer(new HttpError('invalid-request'));
  return httpErrorAnswer(new HttpError('internal-error'));
}

/** Whether this is a bug, and not an error that the code throws on purpose. */
export function isUnexpected(error: unknown): boolean {
  return !(
    error instanceof Refusal ||
    error instanceof Unavailable ||
    error instanceof HttpError ||
    error instanceof RecordsRefused ||
    error instanceof ClientGone ||
    error instanceof URIError
  );
}

/** 503 with the number of seconds to wait before the next attempt. */
export function unavailable(retryAfter: number, text?: string): HttpError {
  const headers = { 'Retry-After': seconds(retryAfter) };
  return new HttpError('unavailable', text === undefined ? { headers } : { headers, text });
}

/** 429 with the number of seconds to wait before the next attempt. */
export function tooManyRequests(retryAfter: number): HttpError {
  return new HttpError('too-many-requests', { headers: { 'Retry-After': seconds(retryAfter) } });
}

function refusalAnswer(refusal: Refusal, { status, code }: Kind): ErrorAnswer {
  const headers: Record<string, string> = { 'X-Error-Code': code };
  // The access key is in the body: it is wrong, and not a token that was sent.
  if (code === 'invalid-access-key') headers['WWW-Authenticate'] = 'Bearer realm="api"';
  if (refusal.retryAfter !== null || status === 429)
    headers['Retry-After'] = seconds(refusal.retryAfter ?? 1);
  if (refusal instanceof CursorExpired) headers['X-Oldest-Cursor'] = refusal.oldest;
  const body =
    code === 'invalid-webhook'
      ? { success: false as const, errors: wireTexts(refusal) }
      : { error: wireTexts(refusal).join('; ') };
  return { status, headers, body };
}

function recordsAnswer({ errors, further }: RecordsRefused): ErrorAnswer {
  const code: ErrorCode = 'invalid-records';
  const [first] = errors.map(({ line, field, message }) => {
    const place = [line === null ? [] : [`line ${line}`], field === null ? [] : [`field ${field}`]].flat();
    return place.length === 0 ? message : `${place.join(', ')}: ${message}`;
  });
  return {
    status: 422,
    headers: { 'X-Error-Code': code },
    body: {
      error: first ?? 'records are wrong',
      errors: errors.map(({ line, field, message }) => ({ line, field, message })),
      further,
    },
  };
}

/** What the answer says is wrong, one text for each problem. */
export function textsOf(error: unknown, body: ErrorAnswer['body']): readonly string[] {
  if (error instanceof Refusal) return wireTexts(error);
  return 'error' in body ? [body.error] : body.errors;
}

function wireTexts({ problems, message }: Refusal): readonly string[] {
  return problems.length === 0 ? [message] : problems.map(wireText);
}

function httpErrorAnswer({ code, message, headers }: HttpError): ErrorAnswer {
  return {
    status: httpErrors[code].status,
    headers: { 'X-Error-Code': code, ...headers },
    body: { error: message },
  };
}

function seconds(count: number): string {
  return String(Math.max(1, Math.ceil(count)));
}
