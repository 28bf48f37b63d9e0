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

/** What a code of Node or OpenSSL means, whatever was connected to; null: that depends. */
export function meaningOf(code: string): string | null {
  return MEANINGS[code] ?? (DISTRUST.test(code) ? 'certificate not trusted' : null);
}
