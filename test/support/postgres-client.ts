import pg from 'pg';

const TIMEOUT_MS = 60_000;

/** Runs one statement on a separate connection, and returns its rows. */
export function runOnServer<Row>(url: string, statement: string): Promise<readonly Row[]> {
  return withClient(url, async (client) => (await client.query(statement)).rows as readonly Row[]);
}

/** Does the work on a separate connection. */
export async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
  timeoutMs?: number,
): Promise<Result> {
  const client = clientAt(url, timeoutMs);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A client for one connection, which the caller opens and ends. */
export function clientAt(url: string, timeoutMs = TIMEOUT_MS): pg.Client {
  const limits = { connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs };
  return new pg.Client({ connectionString: url, ...limits }).on('error', () => undefined);
}
