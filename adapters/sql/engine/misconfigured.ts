/** Codes of PostgreSQL for what is wrong in the URL, or in what the server lets this user do. */
const OF_POSTGRES = /^(28\w{3}|3D000|42501)$/;
/**
 * The file is no database, or is not ours to open or write. A full disk has codes of its own, but for a folder in
 * which no file can be made (`SQLITE_CANTOPEN`): then the URL is to blame more often.
 */
const OF_SQLITE = /^SQLITE_(NOTADB|CANTOPEN|READONLY|CORRUPT|PERM|AUTH)/;
/** The server does not prove to be the one that was asked for. A certificate that is out of date is renewed one day. */
const OF_TLS = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH)/;
const OUT_OF_DATE = /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/;
/** What a folder or a socket says that is not there, or not ours. */
const OF_FILES = new Set(['EACCES', 'EPERM', 'ENOTDIR', 'EISDIR', 'EROFS', 'ELOOP', 'ENAMETOOLONG']);

/**
 * Whether a database could not be opened because of how it was named, so that waiting does not help: a wrong password,
 * an unknown database, a file that is none. Else it is away, busy or full, and may come back: also where a name is not
 * known, since names vanish while a service moves.
 */
export function isMisconfigured(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  const isFinal =
    OF_POSTGRES.test(code) ||
    OF_SQLITE.test(code) ||
    OF_FILES.has(code) ||
    (OF_TLS.test(code) && !OUT_OF_DATE.test(code)) ||
    error.message === 'The server does not support SSL connections';
  return isFinal || isMisconfigured(error.cause);
}
