/**
 * Throws if the DSN is not valid. Sentry's client would print an invalid DSN with its key, and then send nothing. The
 * error does not repeat the DSN.
 */
export function checkSentryDsn(dsn: string): void {
  const url = URL.canParse(dsn) ? new URL(dsn) : null;
  if (url === null || !['https:', 'http:'].includes(url.protocol)) throw badDsn('it is not an http(s) URL');
  if (!/^\w+$/.test(url.username))
    throw badDsn('the key before the @ is missing or has other characters than letters and digits');
  if (!/^\w*$/.test(url.password))
    throw badDsn('the secret before the @ has other characters than letters and digits');
  if (!/^(?:\/[^/]+)*\/\d+$/.test(url.pathname))
    throw badDsn('the number of the project at its end is missing');
  if (url.search !== '' || url.hash !== '') throw badDsn('it must end after the project');
}

function badDsn(reason: string): Error {
  return new Error(
    `A Sentry DSN has the form https://<key>@<host>[:port][/path]/<project>, but in this one ${reason}.`,
  );
}
