import type { AttemptPhase } from '@rollcall/core';
import { meaningOf } from '../error-meanings.js';

/** OpenSSL's error for bytes that are no record of TLS. Its number is the same in every version. */
const NOT_TLS = ':error:0A00010B:';

const WEAK = [
  ['key too weak', 'certificate with a key that is too short'],
  ['digest algorithm too weak', 'certificate signed with a weak algorithm, such as SHA-1'],
] as const;

/** The reasons for all other errors, by the phase that the attempt had reached. */
const OTHERWISE: Readonly<Record<AttemptPhase, string>> = {
  address: 'the URL cannot be used',
  lookup: 'the name does not resolve',
  connect: 'no connection',
  tls: 'TLS failed',
  request: 'connection broken',
  answer: 'connection broken',
};

/** What the alerts of TLS mean, by their numbers (RFC 8446, section 6). We send no client certificate. */
const ALERTS: Readonly<Record<string, string>> = {
  40: 'the receiver refused the TLS handshake: no common cipher, or it asks for a client certificate',
  42: 'the receiver asks for a client certificate',
  48: 'the receiver asks for a client certificate',
  70: 'the receiver supports no TLS 1.2 or later',
  71: 'the receiver refused the TLS handshake: no common cipher',
  112: 'the receiver has no certificate for this name',
  116: 'the receiver asks for a client certificate',
};

/**
 * Why the receiver refused TLS, if that ended the attempt; otherwise null. In TLS 1.3 a receiver refuses a missing client
 * certificate only after the handshake, when the request has been written already. The codes of these errors differ
 * between versions of Node, and the numbers of the alerts do not.
 */
export function tlsRefusal({ message }: Error): string | null {
  const [, alert] = /:SSL alert number (\d+)/.exec(message) ?? [];
  return alert === undefined ? null : (ALERTS[alert] ?? 'the receiver refused the TLS handshake');
}

/** Returns why an attempt ended with this error, in words for people. */
export function reasonOf(error: Error, phase: AttemptPhase): string {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  // A connection that the other side closed normally has the same code, but no system call.
  if (code === 'ECONNRESET')
    return syscall === undefined ? 'connection closed without an answer' : 'connection reset';
  if (code === 'HPE_HEADER_OVERFLOW') return 'more than 16 KB of headers';
  if (code.startsWith('HPE_')) return 'the answer is not HTTP';
  if (code.startsWith('ERR_INVALID_')) return 'the request cannot be sent';
  if (error.message.includes(NOT_TLS)) return 'the receiver does not speak TLS';
  // OpenSSL's errors about certificates that Node has no code for.
  if (code === 'UNSPECIFIED')
    return WEAK.find(([text]) => error.message.includes(text))?.[1] ?? 'certificate not trusted';
  return meaningOf(code) ?? OTHERWISE[phase];
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
