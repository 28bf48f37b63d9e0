import { ownTables } from '../migrations/own-tables.js';

export interface Login {
  readonly user?: string | undefined;
  readonly database?: string | undefined;
}

/**
 * What to run for a refusal, by its code and its English message. Administrators run it. `<name>` is the object of the
 * refusal as the server writes it, `<quoted>` the same quoted, and `<kind>` begins with its kind.
 */
const REMEDIES: Readonly<Record<string, readonly (readonly [message: RegExp, remedy: string])[]>> = {
  '42501': [
    [denied('for (?:table|view|relation) (.+)$'), 'GRANT SELECT, INSERT, UPDATE, DELETE ON <name> TO <user>'],
    [denied('for sequence (.+)$'), 'GRANT USAGE, SELECT, UPDATE ON SEQUENCE <name> TO <user>'],
    [denied('for schema (.+)$'), 'GRANT USAGE, CREATE ON SCHEMA <quoted> TO <user>'],
    [denied('for database .'), 'GRANT CONNECT, TEMPORARY ON DATABASE <database> TO <user>'],
    [denied('to create temporary tables in database '), 'GRANT TEMPORARY ON DATABASE <database> TO <user>'],
    [denied('for tablespace (.+)$'), 'GRANT CREATE ON TABLESPACE <quoted> TO <user>'],
    [denied('for function (.+)$'), 'GRANT EXECUTE ON FUNCTION <name> TO <user>'],
    [denied('for language (.+)$'), 'GRANT USAGE ON LANGUAGE <name> TO <user>'],
    [
      /^must be (?:the )?owner of ((?:table|index|function|sequence|view|relation) .+)$/,
      'ALTER <kind> OWNER TO <user>',
    ],
  ],
  '28000': [
    [/is not permitted to log in$/, 'ALTER ROLE <user> LOGIN'],
    [/^role .* does not exist$/, `CREATE ROLE <user> LOGIN PASSWORD '…'`],
  ],
  '3D000': [
    [
      /^database .* does not exist$/,
      `CREATE DATABASE <database> OWNER <user> ENCODING 'UTF8' TEMPLATE template0`,
    ],
  ],
  '55000': [[/is not currently accepting connections$/, 'ALTER DATABASE <database> ALLOW_CONNECTIONS true']],
};

function denied(what: string): RegExp {
  return new RegExp(`^permission denied ${what}`);
}

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
  for (const [pattern, remedy] of REMEDIES[code] ?? []) {
    const match = pattern.exec(message);
    if (match === null) continue;
    const [, name = ''] = match;
    const words: Readonly<Record<string, string>> = {
      ...{ name, quoted: quoted(name), user: quoted(user), database: quoted(database) },
      kind: name.replace(/^relation/, 'TABLE').replace(/^\w+/, (kind) => kind.toUpperCase()),
    };
    return `Run as an administrator: ${remedy.replace(/<(\w+)>/g, (_, word: string) => words[word] ?? '')};`;
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
