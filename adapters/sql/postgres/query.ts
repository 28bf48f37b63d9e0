import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import type { Sql, SqlValue } from '../engine/database.js';
import { retireConnection } from '../engine/retired-connections.js';
import { traceStatement } from '../engine/tracing.js';
import { type Answer, type PreparedStatement, runPrepared } from '../fast-paths/prepared.js';
import { isAnswer, isConnectionUseless, StandbyAway, translateError } from './errors.js';
import { abandonConnection, cancelStatement } from './leaving.js';
import { BEGIN, isPooled } from './session.js';
import { isUnconfirmed } from './unconfirmed-commits.js';
import { encodeValue, getTypeParser } from './values.js';

/** Statements prepared on one connection. The server keeps them as long as the connection. There are far fewer fixed texts. */
const MAX_PREPARED = 200;
const MAX_TRANSLATIONS = 1000;
/** Every statement gets at least this time, however long its caller waited for a connection. */
export const MIN_STATEMENT_TIMEOUT_MS = 400;

/** Returns how long the next statement may take, in milliseconds. 0 means no limit. */
export type StatementTimeout = () => number;

/** `deadline` is a time of `performance.now()`. */
export function timeoutUntil(deadline: number): StatementTimeout {
  return () => Math.max(deadline - performance.now(), MIN_STATEMENT_TIMEOUT_MS);
}

/** `use` returns the connection, or throws when it must no longer be used. */
export function sqlOn(use: () => Client, timeout: StatementTimeout): Sql {
  const run = (text: string, values: readonly SqlValue[] = []): Promise<Answer> =>
    query(use(), { text, values, timeoutMs: timeout() });
  return {
    all: async <Row>(text: string, values?: readonly SqlValue[]) =>
      toObjects(await run(text, values)) as readonly Row[],
    rows: async <Row extends readonly unknown[]>(text: string, values?: readonly SqlValue[]) =>
      (await run(text, values)).rows as unknown as readonly Row[],
    get: async <Row>(text: string, values?: readonly SqlValue[]) =>
      toObjects(await run(text, values))[0] as Row | undefined,
    run: async (text, values) => ({ changes: countChanges((await run(text, values)).command) }),
  };
}

function toObjects({ rows, names }: Answer): readonly object[] {
  return rows.map((row) => {
    const object: Record<string, unknown> = {};
    for (let index = 0; index < names.length; index += 1) object[names[index] ?? ''] = row[index];
    return object;
  });
}

/** Reads the number in `UPDATE 2`. A command that counts no rows has none. */
function countChanges(command: string): number {
  return Number(/\d+$/.exec(command)?.[0] ?? 0);
}

interface Query {
  readonly text: string;
  readonly values?: readonly SqlValue[];
  readonly timeoutMs: number;
}

/** Runs one statement, and cancels it when its time is up. The connection is then not used again. */
export function query(connection: Client, request: Query): Promise<Answer> {
  return traceStatement('postgres', request.text, () => run(connection, request));
}

async function run(connection: Client, { text, values = [], timeoutMs }: Query): Promise<Answer> {
  const { name, ...named } = nameStatement(connection, text);
  const statement = { ...named, values: values.map(encodeValue) };
  return guard(connection, async () => {
    const answer = await withinTime(connection, timeoutMs, () =>
      name === null
        ? runUnprepared(connection, statement)
        : runPrepared(connection, { ...statement, name }, getTypeParser),
    );
    if (!isUnconfirmed(connection)) return answer;
    retireConnection(connection);
    throw new StandbyAway();
  });
}

/** How long a cancelled statement may take to answer. Its answer says what it was waiting for. */
const LAST_ANSWER_MS = 400;

/** Cancels what runs on the connection when it takes too long. 0 means no limit. */
export async function withinTime<T>(
  connection: Client,
  timeoutMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const running = work();
  if (timeoutMs === 0) return running;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      void cancelStatement(connection);
      timer = setTimeout(() => reject(new Error('Query read timeout')), LAST_ANSWER_MS);
    }, Math.ceil(timeoutMs));
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs work on a connection, gives the connection up if it must not be used again, and translates the error. */
export async function guard<T>(connection: Client, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isConnectionUseless(error)) abandonConnection(connection, { isRunning: !isAnswer(error) });
    throw translateError(error, connection);
  }
}

/** Uses pg's own query. A text without values may contain several statements; the result is that of the last one. */
async function runUnprepared(connection: Client, { text, values }: Omit<PreparedStatement, 'name'>) {
  const request = { text, values: [...values], rowMode: 'array' as const };
  const results = await connection.query<unknown[]>(request);
  const { rows, fields, command, rowCount } = [results].flat().at(-1) ?? results;
  return { rows, names: fields.map(({ name }) => name), command: `${command} ${rowCount ?? ''}`.trim() };
}

interface Translation {
  readonly text: string;
  readonly name: string;
}

const translations = new Map<string, Translation>();

/**
 * Translates a text to PostgreSQL: `?` becomes `$1`, `$2` … (the texts use `?` only for parameters). `CROSS JOIN … ON`,
 * which makes SQLite keep the order of the tables, becomes an ordinary join.
 */
export function translation(text: string): Translation {
  const found = translations.get(text);
  if (found !== undefined) return found;
  let number = 0;
  const translated = text.replaceAll('CROSS JOIN', 'JOIN').replaceAll('?', () => {
    number += 1;
    return `$${number}`;
  });
  const fresh = {
    text: translated,
    name: createHash('sha256').update(text).digest('base64url').slice(0, 22),
  };
  const [oldest] = translations.keys();
  if (translations.size >= MAX_TRANSLATIONS && oldest !== undefined) translations.delete(oldest);
  translations.set(text, fresh);
  return fresh;
}

const preparedNames = new WeakMap<Client, Set<string>>();

/**
 * The first texts of a connection are prepared under a name. For later ones, and through a pooler, `name` is null and
 * nothing is prepared.
 */
function nameStatement(connection: Client, source: string) {
  const { text, name } = translation(source);
  // Several statements can't be prepared as one.
  if (isPooled(connection) || source.startsWith(`${BEGIN};`)) return { text, name: null };
  const names = preparedNames.get(connection) ?? new Set<string>();
  if (!names.has(name)) {
    if (names.size >= MAX_PREPARED) return { text, name: null };
    preparedNames.set(connection, names.add(name));
  }
  return { text, name };
}
