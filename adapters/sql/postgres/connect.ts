import pg, { type Client, type ClientConfig } from 'pg';
import { processIdOf } from '../fast-paths/wire.js';
import { asUnavailable, isTlsRefused } from './errors.js';
import { getTypeParser } from './values.js';

/** A PostgreSQL server, as it was found when it was first connected to. */
export interface Server {
  /** The settings with which a connection succeeded. */
  readonly settings: ClientConfig;
  /** Whether a pooler is in between, which may use another connection for each transaction. */
  readonly isPooled: boolean;
}

interface Connect {
  readonly timeoutMs: number;
  /** The name under which the server lists the connections. */
  readonly name: string;
}

/** Finds out how the server can be connected to. Throws `Unavailable` when it can't be reached or refuses. */
export async function findServer(url: string, { timeoutMs, name }: Connect): Promise<Server> {
  let reason: unknown;
  for (const connectionString of urlsToTry(url)) {
    try {
      return await connect({
        connectionString,
        application_name: name,
        // Shorter than the timeout, so that a caller never gets a failure that began before it came.
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

/** The modes of pg to try for an `sslmode` that leaves TLS open; the other modes are those of libpq. */
const sslModesToTry: Readonly<Record<string, readonly string[]>> = {
  prefer: ['no-verify', 'disable'],
  allow: ['disable', 'no-verify'],
};

/** `sslmode` as libpq reads it. Without one: TLS where the server has it, as with libpq. */
function urlsToTry(url: string): readonly string[] {
  const given = new URL(url);
  const mode = given.searchParams.get('sslmode') ?? 'prefer';
  const modes = isLocalSocket(given) ? ['disable'] : sslModesToTry[mode];
  if (modes === undefined) {
    given.searchParams.set('uselibpqcompat', 'true');
    return [given.href];
  }
  // No certificate is verified in these modes.
  given.searchParams.delete('sslrootcert');
  return modes.map((tried) => {
    given.searchParams.set('sslmode', tried);
    return given.href;
  });
}

function isLocalSocket({ hostname, searchParams }: URL): boolean {
  return decodeURIComponent(hostname).startsWith('/') || searchParams.get('host')?.startsWith('/') === true;
}

/** A server announces its process when a connection is made; a pooler cannot know which process will answer. */
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
