import pg, { type Client, type ClientConfig } from 'pg';
import { processIdOf } from '../fast-paths/wire.js';
import { asUnavailable, isTlsRefused } from './errors.js';
import { getTypeParser } from './values.js';

/** What the first connection found out about a PostgreSQL server. */
export interface Server {
  /** The settings with which a connection succeeded. */
  readonly settings: ClientConfig;
  /** Whether connections go through a pooler, which may use another connection for each transaction. */
  readonly isPooled: boolean;
}

interface Connect {
  readonly timeoutMs: number;
  /** The name of the connections in the server's list. */
  readonly name: string;
}

/** Finds settings that connect to the server. Throws `Unavailable` when it can't be reached or refuses. */
export async function findServer(url: string, { timeoutMs, name }: Connect): Promise<Server> {
  let reason: unknown;
  for (const connectionString of urlsToTry(url)) {
    try {
      return await connect({
        connectionString,
        application_name: name,
        // Shorter than the timeout, so that no caller gets the failure of an earlier attempt.
        connectionTimeoutMillis: Math.ceil(0.8 * timeoutMs),
        keepAlive: true,
        types: { getTypeParser },
      });
    } catch (error) {
      reason = error;
      if (!isTlsRefused(error)) break;
    }
  }
  throw asUnavailable(reason);
}

/** The modes of pg to try for an `sslmode` that allows connections with and without TLS. Other modes work as in libpq. */
const sslModesToTry: Readonly<Record<string, readonly string[]>> = {
  prefer: ['no-verify', 'disable'],
  allow: ['disable', 'no-verify'],
};

/** Interprets `sslmode` as libpq does. Without one, TLS is used if the server has it. */
function urlsToTry(url: string): readonly string[] {
  const parsed = new URL(url);
  const mode = parsed.searchParams.get('sslmode') ?? 'prefer';
  const modes = isLocalSocket(parsed) ? ['disable'] : sslModesToTry[mode];
  if (modes === undefined) {
    parsed.searchParams.set('uselibpqcompat', 'true');
    return [parsed.href];
  }
  // No certificate is verified in these modes.
  parsed.searchParams.delete('sslrootcert');
  return modes.map((tried) => {
    parsed.searchParams.set('sslmode', tried);
    return parsed.href;
  });
}

function isLocalSocket({ hostname, searchParams }: URL): boolean {
  return decodeURIComponent(hostname).startsWith('/') || searchParams.get('host')?.startsWith('/') === true;
}

/**
 * Connects once. A server announces the process of the connection; a pooler can't know which process will answer, and
 * so the two numbers differ.
 */
async function connect(settings: ClientConfig): Promise<Server> {
  const client: Client = new pg.Client({ ...settings, query_timeout: settings.connectionTimeoutMillis });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return { settings, isPooled: rows[0]?.pid !== processIdOf(client) };
  } finally {
    void client.end().catch(() => {});
  }
}
