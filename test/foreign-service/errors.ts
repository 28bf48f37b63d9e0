import { type Field, Refusal, type RefusalCode, Unavailable } from '@rollcall/core';

/** What leaves when something was thrown. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/**
 * The status of every refusal. The type asks for all of them: when the core gets a new code, this file does not
 * compile until it has an entry here. Null: only pages meet it, and this service has none.
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
  'wrong-credentials': null,
  'organization-not-found': null,
  'delivery-not-found': null,
  'role-too-low': null,
  'session-bound': null,
  'last-owner': null,
  'access-key-outdated': null,
  'webhook-outdated': null,
  'webhook-test-under-way': null,
  'calendar-feed-unknown': null,
  'meeting-not-found': null,
};

/** A no that is about HTTP and not about a rule. */
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

/** The contract answers an export that failed unexpectedly with 400, and nothing of the reason, which is its cause. */
export class ExportFailed extends HttpError {
  constructor(cause: unknown) {
    super(400, 'export-failed', 'The export failed');
    this.cause = cause;
  }
}

/** What an export threw: as it is when it was meant as an answer, else as one that failed. */
export function exportFailed(error: unknown): unknown {
  return isBug(error) ? new ExportFailed(error) : error;
}

/** The answer to anything that was thrown; of a bug nothing gets out. */
export function errorAnswer(error: unknown): ErrorAnswer {
  if (error instanceof Refusal) return refusalAnswer(error);
  if (error instanceof HttpError) return answer(error.status, error.code, error.message, error.headers);
  if (error instanceof Unavailable) {
    const headers = { 'Retry-After': String(error.retryAfter) };
    return answer(503, 'unavailable', 'Service Unavailable', headers);
  }
  return answer(500, 'internal-error', 'Internal Server Error');
}

/** Whether it is worth a report: everything that is no intended answer. */
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

/** The fields of the interface are written in small letters with underscores. */
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
