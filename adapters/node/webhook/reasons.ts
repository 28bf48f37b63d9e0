import type { AttemptPhase } from '@rollcall/core';

/** The meanings of Node's error codes for people. Texts of libraries are never shown. */
const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNABORTED: 'connection reset',
  EPIPE: 'connection reset',
  EHOSTUNREACH: 'no route to the receiver',
  ENETUNREACH: 'no route to the receiver',
  EADDRNOTAVAIL: 'no route to the receiver',
  CERT_HAS_EXPIRED: 'certificate expired',
  CERT_NOT_YET_VALID: 'certificate not yet valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate is for another name',
};

/** OpenSSL's other error codes for certificates. */
const DISTRUST = /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_)/;

/** The reasons for all other errors, by the phase that the attempt had reached. */
const OTHERWISE: Readonly<Record<AttemptPhase, string>> = {
  address: 'the URL cannot be used',
  lookup: 'the name does not resolve',
  connect: 'no connection',
  tls: 'TLS failed',
  request: 'connection broken',
  answer: 'connection broken',
};

/** Returns why an attempt ended with this error, in words for people. */
export function reasonOf(error: Error, phase: AttemptPhase): string {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  // A connection that the other side closed normally has the same code, but no system call.
  if (code === 'ECONNRESET')
    return syscall === undefined ? 'connection closed without an answer' : 'connection reset';
  if (code.startsWith('HPE_')) return 'the answer is not HTTP';
  if (code.startsWith('ERR_INVALID_')) return 'the request cannot be sent';
  if (MEANINGS[code] !== undefined) return MEANINGS[code];
  return DISTRUST.test(code) ? 'certificate not trusted' : OTHERWISE[phase];
}

/** Returns the reason for an attempt that the receiver answered with this status. */
export function answered(status: number): string {
  return status >= 300 && status < 400
    ? `answered ${status}: redirects are not followed`
    : `answered ${status}`;
}

/** Formats milliseconds as seconds for people. */
export function inSeconds(milliseconds: number): string {
  return `${milliseconds / 1000} s`;
}
