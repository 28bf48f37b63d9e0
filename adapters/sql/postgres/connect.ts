import pg, { type Client, type ClientConfig } from 'pg';
import { only, type PostgresPool } from '../engine/database.js';
import { Misconfigured } from '../engine/misconfigured.js';
import { processIdOf } from '../fast-paths/wire.js';
import { asUnavailable, isTlsRefused } from './errors.js';
import { type Login, reasonOf } from './refusals.js';
import { assertUsable, READ_SESSION, type SessionRow } from './usability.js';
import { getTypeParser } from './values.js';

/** What the first connection found out about a PostgreSQL server. */
export interface Server {
  /** The settings with which a connection succeeded. */
  readonly settings: ClientConfig;
  /** Whether connections go through a pooler, which may use another connection for each transaction. */
  readonly isPooled: boolean;
  /** Such as 180001. */
  readonly version: number;
}

interface Connect {
  readonly timeoutMs: number;
  /** The name of the connections in the server's list. */
  readonly name: string;
  /** The schema that the URL asks for, which is created if it is missing. */
  readonly schema?: string | undefined;
}

/** The settings of a pool that say where to connect, and as whom. All others are ours. */
const WHERE = [
  ...(['connectionString', 'host', 'port', 'database', 'user', 'password', 'options', 'stream'] as const),
  ...(['ssl', 'sslnegotiation', 'enableChannelBinding'] as const),
] as const satisfies readonly (keyof ClientConfig)[];

function whereOf(pool: PostgresPool): ClientConfig {
  const options = pool.options as ClientConfig;
  // Name by name, because the pool hides its password from those who copy all properties.
  return Object.fromEntries(WHERE.flatMap((name) => (name in options ? [[name, options[name]]] : [])));
}

/** Where the connections of a pool lead, without the password. */
export function addressOfPool(pool: PostgresPool): string {
  const { user = '', host, port, database = '' } = new pg.Client(whereOf(pool));
  return `postgres://${encodeURIComponent(user)}@${encodeURIComponent(host)}:${port}/${encodeURIComponent(database)}`;
}

/** The settings with a `search_path` of this schema alone. */
function inSchema(settings: ClientConfig, schema: string): ClientConfig {
  const path = `-c search_path=${pg.escapeIdentifier(schema).replaceAll(/[\\\s]/g, '\\$&')}`;
  if (settings.connectionString === undefined)
    return { ...settings, options: `${settings.options ?? ''} ${path}`.trim() };
  const url = new URL(settings.connectionString);
  const options = url.searchParams.get('options') ?? settings.options ?? '';
  url.searchParams.set('options', `${options} ${path}`.trim());
  return { ...settings, connectionString: url.href };
}

/** Finds settings that connect to the server. Throws `Unavailable` when it can't be reached or refuses. */
export async function findServer(
  server: string | PostgresPool,
  { timeoutMs, name, schema }: Connect,
): Promise<Server> {
  let reason: unknown;
  let login: Login = {};
  const tries = typeof server === 'string' ? urlsToTry(server) : [whereOf(server)];
  for (const settings of tries) {
    try {
      return await connect({
        ...(schema === undefined ? settings : inSchema(settings, schema)),
        application_name: name,
        // Shorter than the timeout, so that no caller gets the failure of an earlier attempt.
        connectionTimeoutMillis: Math.ceil(0.8 * timeoutMs),
        keepAlive: true,
        types: { getTypeParser },
        schema,
        onClient: (client) => {
          login = { user: client.user, database: client.database };
        },
      });
    } catch (error) {
      reason = error;
      if (!isTlsRefused(error)) break;
    }
  }
  throw asUnavailable(reason, login);
}

/** The modes of pg to try for an `sslmode` that allows connections with and without TLS. Other modes work as in libpq. */
const sslModesToTry: Readonly<Record<string, readonly string[]>> = {
  prefer: ['no-verify', 'disable'],
  allow: ['disable', 'no-verify'],
};

/** Interprets `sslmode` as libpq does. Without one, TLS is used if the server has it. */
function urlsToTry(url: string): readonly ClientConfig[] {
  const parsed = new URL(url);
  const mode = parsed.searchParams.get('sslmode') ?? 'prefer';
  const modes = isLocalSocket(parsed) ? ['disable'] : sslModesToTry[mode];
  if (modes === undefined) {
    parsed.searchParams.set('uselibpqcompat', 'true');
    return [{ connectionString: parsed.href }];
  }
  // No certificate is verified in these modes.
  parsed.searchParams.delete('sslrootcert');
  return modes.map((tried) => {
    parsed.searchParams.set('sslmode', tried);
    return { connectionString: parsed.href };
  });
}

function isLocalSocket({ hostname, searchParams }: URL): boolean {
  return decodeURIComponent(hostname).startsWith('/') || searchParams.get('host')?.startsWith('/') === true;
}

interface ConnectOnce {
  readonly schema: string | undefined;
  /** Called with the client before it connects. */
  readonly onClient: (client: Client) => void;
}

/**
 * Connects once. A server announces the process of the connection; a pooler can't know which process will answer, and
 * so the two numbers differ.
 */
async function connect({ onClient, schema, ...settings }: ClientConfig & ConnectOnce): Promise<Server> {
  const client: Client = new pg.Client({ ...settings, query_timeout: settings.connectionTimeoutMillis });
  client.on('error', () => {});
  onClient(client);
  try {
    await client.connect();
    const session = await readSession(client, schema);
    assertUsable(session);
    const { pid, version } = session;
    return { settings, isPooled: pid !== processIdOf(client), version };
  } finally {
    void client.end().catch(() => {});
  }
}

/** Reads the session, after creating the schema if it is missing. Throws `Misconfigured` if that is not possible. */
async function readSession(client: Client, schema: string | undefined): Promise<SessionRow> {
  const read = async () => only((await client.query<SessionRow>(READ_SESSION)).rows);
  const session = await read();
  if (schema === undefined || session.schema === schema) return session;
  const name = pg.escapeIdentifier(schema);
  const refusal = await client.query(`CREATE SCHEMA IF NOT EXISTS ${name}`).then(
    () => null,
    (error: unknown) => error,
  );
  // Another process may have created it meanwhile.
  const created = await read();
  if (created.schema === schema || created.closed !== null) return created;
  throw new Misconfigured(
    refusal === null
      ? `The connections do not use the schema ${name}: search_path is ${created.path}. A pooler must pass "options" on.`
      : `The schema ${name} cannot be created: ${reasonOf(refusal)}. Run as an administrator: ` +
          `CREATE SCHEMA ${name} AUTHORIZATION ${created.role};`,
    { cause: refusal },
  );
}
