import { Misconfigured } from '../engine/misconfigured.js';
import { ownTablesText } from '../migrations/own-tables.js';

/** What the first connection asks about the session and its database. */
export const READ_SESSION = `SELECT pg_backend_pid() AS pid, current_setting('server_version_num')::int AS version,
  current_setting('server_encoding') AS encoding, current_setting('session_replication_role') AS replication,
  current_schema()::text AS schema, current_setting('search_path') AS path, quote_ident(current_user) AS role,
  quote_ident(current_database()) AS database,
  (SELECT relnamespace::regnamespace::text FROM pg_class
    WHERE oid = to_regclass('service_meeting_organizations')
      AND relnamespace::regnamespace::text IS DISTINCT FROM quote_ident(current_schema())) AS elsewhere,
  (SELECT string_agg(quote_ident(nspname), ', ') FROM pg_namespace
    WHERE NOT has_schema_privilege(oid, 'USAGE')
      AND nspname = ANY(string_to_array(replace(current_setting('search_path'), '"', ''), ', '))) AS closed`;

export interface SessionRow {
  readonly pid: number;
  readonly version: number;
  readonly encoding: string;
  readonly replication: string;
  /** Null if no schema of `search_path` exists and may be used. */
  readonly schema: string | null;
  readonly path: string;
  readonly role: string;
  readonly database: string;
  /** The schema that has our tables if it is not the first one. */
  readonly elsewhere: string | null;
  /** Schemas of `search_path` that the role may not use. */
  readonly closed: string | null;
}

/** Throws `Misconfigured` if the service can't use the database as it is. */
export function assertUsable(session: SessionRow): void {
  const problem = problemOf(session);
  if (problem !== null) throw new Misconfigured(problem);
}

function problemOf(session: SessionRow): string | null {
  const { encoding, replication, schema, path, role, database, elsewhere, closed } = session;
  if (encoding !== 'UTF8')
    return (
      `The encoding of the database is ${encoding}, and it must be UTF8. Run as an administrator: ` +
      `CREATE DATABASE … OWNER ${role} ENCODING 'UTF8' TEMPLATE template0;`
    );
  if (replication === 'replica')
    return (
      `session_replication_role is replica, which switches off triggers and references. Run as an administrator: ` +
      `ALTER ROLE ${role} SET session_replication_role = origin;`
    );
  if (schema === null && closed !== null)
    return `The role may not use the schema. Run as an administrator: GRANT USAGE, CREATE ON SCHEMA ${closed} TO ${role};`;
  if (schema === null)
    return (
      `search_path is ${path}, and none of these schemas exists. Run as an administrator: ` +
      `CREATE SCHEMA rollcall AUTHORIZATION ${role}; ALTER ROLE ${role} IN DATABASE ${database} SET search_path = rollcall;`
    );
  if (elsewhere === null) return null;
  return (
    `search_path is ${path}, but Rollcall's tables are in the schema ${elsewhere}. For these tables, run: ` +
    `ALTER ROLE ${role} IN DATABASE ${database} SET search_path = ${elsewhere}; for new ones, leave ${elsewhere} out.`
  );
}

const READ_MISSING = `WITH own AS (
    SELECT oid, relname, relname LIKE 'rollcall_%' AS is_record FROM pg_class
    WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relkind IN ('r', 'p')
      AND (relname IN (${ownTablesText}) OR relname = 'rollcall_migrations')
  ), needed AS (
    SELECT relname, string_agg(privilege, ', ' ORDER BY place) AS privileges FROM own,
      unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) WITH ORDINALITY AS all_of (privilege, place)
    WHERE NOT has_table_privilege(oid, privilege) AND (privilege = 'SELECT' OR NOT is_record)
    GROUP BY relname
  )
  SELECT format('GRANT TEMPORARY ON DATABASE %I TO %I', current_database(), current_user) AS text
  WHERE NOT has_database_privilege(current_database(), 'TEMPORARY')
  UNION ALL
  SELECT format('GRANT %s ON %s TO %I', privileges, string_agg(quote_ident(relname), ', ' ORDER BY relname), current_user)
  FROM needed GROUP BY privileges`;

/** The statements that grant what the role lacks for serving. */
export async function missingRights(all: (text: string) => Promise<readonly { readonly text: string }[]>) {
  const rows = await all(READ_MISSING);
  return rows.map(({ text }) => `${text};`);
}

const NAMES_LIKE_OURS = `WITH here AS (SELECT quote_ident(current_schema())::regnamespace AS schema)
  SELECT name, schema::text, quote_ident(current_user) AS role FROM here, LATERAL (
    SELECT relname::text AS name FROM pg_class WHERE relnamespace = schema AND relname IN (${ownTablesText})
    UNION SELECT typname::text FROM pg_type WHERE typnamespace = schema AND typname IN (${ownTablesText})
  ) AS found ORDER BY name`;

type ReadAll = (text: string) => Promise<readonly { readonly [column: string]: string }[]>;

/** What has the name of a table of ours in the schema in which new tables are created, and what to do if it is not ours. */
export async function findNamesLikeOurs(all: ReadAll) {
  const rows = await all(NAMES_LIKE_OURS);
  const { schema, role } = rows[0] ?? {};
  return {
    names: rows.map(({ name = '' }) => name),
    message: (taken: string) =>
      `The schema ${schema} has tables of another application with names that Rollcall needs: ${taken}. Use another ` +
      `database, or run as an administrator: CREATE SCHEMA rollcall AUTHORIZATION ${role}; and add ` +
      'options=-c%20search_path%3Drollcall to the parameters of the URL.',
  };
}
