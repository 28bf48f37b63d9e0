import { type Field, Refusal, type RefusalCode, Unavailable } from '@rollcall/core';

/** The response to an error. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/**
 * The status of every refusal. The type requires all codes: if the core adds one, this file does not compile until it
 * has an entry here. Null means that only pages can cause the refusal, and this service has none.
 */
const statuses: Readonly<Record<RefusalCode, number | null>> = {
  'invalid-access-key': 401,
  'unauthorized-access': 401,
  'not-authorized': 401,
  'invalid-request': 400,
  'invalid-webhook': 422,
  'already-member': 400,
  'member-not-found': 404,
  'user-not-found': 400,
  'invitation-pending': 400,
  'too-many-requests': 429,
  'invitation-unknown': null,
  'invitation-used': null,
  'invitation-revoked': null,
  'sign-in-required': null,
  'login-link-unknown': null,
  'login-link-used': null,
  'login-link-expired': null,
  'password-reset-ended': null,
  'mail-not-configured': null,
  'wrong-credentials': null,
  'organization-not-found': null,
  'delivery-not-found': null,
  'delivery-erased': null,
  'in-other-organization': null,
  'role-too-low': null,
  'session-bound': null,
  'session-not-found': null,
  'session-not-started': null,
  'last-owner': null,
  'is-owner': null,
  'access-key-outdated': null,
  'webhook-outdated': null,
  'webhook-test-under-way': null,
  'cursor-expired': null,
  'calendar-feed-unknown': null,
  'meeting-not-found': null,
  'idempotency-key-reused': null,
  'idempotency-key-in-use': null,
};

/** A refusal for a reason of HTTP, not of a rule in the core. */
export class HttpError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, text: string, headers: Readonly<Record<string, string>> = {}) {
    super(text);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** For an export that fails unexpectedly, the contract requires 400 without the reason. `cause` keeps the reason. */
export class ExportFailed extends HttpError {
  constructor(cause: unknown) {
    super(400, 'export-failed', 'The export failed');
    this.cause = cause;
  }
}

/** Turns an unexpected error of an export into `ExportFailed`, and returns any other error unchanged. */
export function exportFailed(error: unknown): unknown {
  return isBug(error) ? new ExportFailed(error) : error;
}

/** The response to an error. It contains no details of a bug. */
export function errorAnswer(error: unknown): ErrorAnswer {
  if (error instanceof Refusal) return refusalAnswer(error);
  if (error instanceof HttpError) return answer(error.status, error.code, error.message, error.headers);
  if (error instanceof Unavailable) {
    const headers = { 'Retry-After': String(error.retryAfter) };
    return answer(503, 'unavailable', 'Service Unavailable', headers);
  }
  return answer(500, 'internal-error', 'Internal Server Error');
}

/** Whether the error must be reported, because it is not an intended response. */
export function isBug(error: unknown): boolean {
  if (error instanceof ExportFailed) return true;
  return !(error instanceof Refusal || error instanceof Unavailable || error instanceof HttpError);
}

function refusalAnswer(refusal: Refusal): ErrorAnswer {
  const { code, retryAfter } = refusal;
  const messages = refusal.texts(wireName);
  const headers: Record<string, string> = retryAfter === null ? {} : { 'Retry-After': String(retryAfter) };
  const status = statuses[code];
  if (status === null) return answer(400, 'invalid-request', messages.join('; '), headers);
  if (code !== 'invalid-webhook') return answer(status, code, messages.join('; '), headers);
  return { status, headers: { 'X-Error-Code': code }, body: { success: false, errors: messages } };
}

/** The API names its fields in snake_case. */
function wireName(field: Field): string {
  if (field === 'columns') return 'column';
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function answer(
  status: number,
  code: string,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): ErrorAnswer {
  return { status, headers: { 'X-Error-Code': code, ...headers }, body: { error } };
}
