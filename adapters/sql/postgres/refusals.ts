import { ownTables } from '../migrations/own-tables.js';

/** Who is refused. */
export interface Login {
  readonly user?: string | undefined;
  readonly database?: string | undefined;
}

interface Refused {
  /** The object of the refusal as the server writes it. */
  readonly object: string;
  readonly user: string;
  readonly database: string;
}

/** What to run for a refusal, by its code and its English message. Administrators run it. */
const REMEDIES: readonly {
  readonly code: string;
  readonly message: RegExp;
  readonly remedy: (refused: Refused) => string;
}[] = [
  {
    code: '42501',
    message: /^permission denied for (?:table|view|relation) (?<object>.+)$/,
    remedy: ({ object, user }) => `GRANT SELECT, INSERT, UPDATE, DELETE ON ${object} TO ${user}`,
  },
  {
    code: '42501',
    message: /^permission denied for sequence (?<object>.+)$/,
    remedy: ({ object, user }) => `GRANT USAGE, SELECT, UPDATE ON SEQUENCE ${object} TO ${user}`,
  },
  {
    code: '42501',
    message: /^permission denied for schema (?<object>.+)$/,
    remedy: ({ object, user }) => `GRANT USAGE, CREATE ON SCHEMA ${quoted(object)} TO ${user}`,
  },
  {
    code: '42501',
    message: /^permission denied for database "?(?<object>.+?)"?$/,
    remedy: ({ database, user }) => `GRANT CONNECT, TEMPORARY ON DATABASE ${database} TO ${user}`,
  },
  {
    code: '42501',
    message: /^permission denied to create temporary tables in database /,
    remedy: ({ database, user }) => `GRANT TEMPORARY ON DATABASE ${database} TO ${user}`,
  },
  {
    code: '42501',
    message: /^permission denied for tablespace (?<object>.+)$/,
    remedy: ({ object, user }) => `GRANT CREATE ON TABLESPACE ${quoted(object)} TO ${user}`,
  },
  {
    code: '42501',
    message: /^permission denied for function (?<object>.+)$/,
    remedy: ({ object, user }) => `GRANT EXECUTE ON FUNCTION ${object} TO ${user}`,
  },
  {
    code: '42501',
    message: /^permission denied for language (?<object>.+)$/,
    remedy: ({ object, user }) => `GRANT USAGE ON LANGUAGE ${object} TO ${user}`,
  },
  {
    code: '42501',
    message: /^must be (?:the )?owner of (?<object>(?:table|index|function|sequence|view|relation) .+)$/,
    remedy: ({ object, user }) =>
      `ALTER ${object.replace(/^relation/, 'TABLE').replace(/^\w+/, (kind) => kind.toUpperCase())} OWNER TO ${user}`,
  },
  {
    code: '28000',
    message: /is not permitted to log in$/,
    remedy: ({ user }) => `ALTER ROLE ${user} LOGIN`,
  },
  {
    code: '28000',
    message: /^role .* does not exist$/,
    remedy: ({ user }) => `CREATE ROLE ${user} LOGIN PASSWORD '…'`,
  },
  {
    code: '3D000',
    message: /^database .* does not exist$/,
    remedy: ({ database, user }) =>
      `CREATE DATABASE ${database} OWNER ${user} ENCODING 'UTF8' TEMPLATE template0`,
  },
  {
    code: '55000',
    message: /is not currently accepting connections$/,
    remedy: ({ database }) => `ALTER DATABASE ${database} ALLOW_CONNECTIONS true`,
  },
];

const ADVICE: Readonly<Record<string, string>> = {
  '28P01': 'Check the user and the password in the URL.',
  '28000': 'Check the user in the URL, and allow it in pg_hba.conf of the server.',
  '42501': 'Grant the rights that contracts/operating.md lists.',
  '3F000': 'Set search_path of the role to an existing schema.',
};

/** What to do about a refusal, as one or two sentences. Null if the error is none. */
export function adviceFor(error: unknown, { user = '', database = '' }: Login): string | null {
  const code = codeOf(error);
  const message = reasonOf(error);
  for (const remedy of REMEDIES) {
    const match = remedy.code === code ? remedy.message.exec(message) : null;
    if (match === null) continue;
    const object = match.groups?.object ?? '';
    return `Run as an administrator: ${remedy.remedy({ object, user: quoted(user), database: quoted(database) })};`;
  }
  const [, relation = ''] = /^relation "(\w+)" does not exist$/.exec(message) ?? [];
  if (code === '42P01' && ownTables.includes(relation))
    return `Check search_path, or run as an administrator: GRANT USAGE ON SCHEMA … TO ${quoted(user)};`;
  if (/^unsupported startup parameter/.test(message))
    return 'PgBouncer takes no options: set them for the role instead, with ALTER ROLE … SET …;';
  return ADVICE[code] ?? null;
}

/** The code of an error of PostgreSQL, Node or pg. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** The server's message. Knex writes the statement before it. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return codeOf(error) === '' ? message : (message.split(' - ').at(-1) ?? message);
}

function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replace(/^"(.*)"$/, '$1').replaceAll('"', '""')}"`;
}
