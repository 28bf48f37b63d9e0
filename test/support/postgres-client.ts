import pg from 'pg';

const TIMEOUT_MS = 30_000;

/** Runs one statement on a separate connection. */
export async function runOnServer(url: string, statement: string): Promise<void> {
  const client = clientAt(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** A client for one connection, which the caller opens and ends. */
export function clientAt(url: string): pg.Client {
  return new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
}
