import { Unavailable } from '@rollcall/core';

/** The database can be reached, but the service can't use it as it is. The message says what to do. */
export class Misconfigured extends Unavailable {}

/** PostgreSQL's codes for a wrong URL or wrong options in it, missing permissions, and a `search_path` without a schema. */
const OF_POSTGRES = /^(28\w{3}|3D000|3F000|42501|42P01|42704|22023|55000)$/;
/** PgBouncer knows no options of a URL. */
const OPTION_REFUSED = /^unsupported startup parameter/;
/**
 * The file is not a database, or the process may not read or write it. A full disk has other codes, with one exception:
 * no file can be created in a folder (`SQLITE_CANTOPEN`). The usual cause of that code is a wrong URL.
 */
const OF_SQLITE = /^SQLITE_(NOTADB|CANTOPEN|READONLY|CORRUPT|PERM|AUTH)/;
/** The server's certificate is not trusted. An expired certificate is left out, because someone will renew it. */
const OF_TLS = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH)/;
const OUT_OF_DATE = /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/;
/** Codes for a folder or a socket that does not exist or that the process may not use. */
const OF_FILES = new Set(['EACCES', 'EPERM', 'ENOTDIR', 'EISDIR', 'EROFS', 'ELOOP', 'ENAMETOOLONG']);

/**
 * Whether opening the database failed because of its configuration, so that waiting does not help: a wrong password, an
 * unknown database, a file that is not a database. Otherwise the database is unreachable, busy or full, and may come
 * back. An unknown host name also counts as unreachable, because names disappear for a while when a service moves.
 */
export function isMisconfigured(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  const isFinal =
    error instanceof Misconfigured ||
    OPTION_REFUSED.test(error.message) ||
    OF_POSTGRES.test(code) ||
    OF_SQLITE.test(code) ||
    OF_FILES.has(code) ||
    (OF_TLS.test(code) && !OUT_OF_DATE.test(code)) ||
    error.message === 'The server does not support SSL connections';
  return isFinal || isMisconfigured(error.cause);
}
