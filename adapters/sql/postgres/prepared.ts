import type { Client } from 'pg';

/** A statement that a connection keeps under its name; the values are in PostgreSQL's text form. */
export interface Prepared {
  readonly name: string;
  readonly text: string;
  readonly values: readonly (string | Buffer | null)[];
  /** Milliseconds to wait for the answer; 0: as long as it takes. */
  readonly timeout: number;
}

export interface Answer {
  /** Each row as its values, in the order of the names. */
  readonly rows: readonly (readonly unknown[])[];
  readonly names: readonly string[];
  /** What the server has done, in its words: `UPDATE 2`. */
  readonly done: string;
}

type Parser = (text: string) => unknown;

/** What the server has told of a statement's columns; it can't be another one while the statement is kept. */
interface Columns {
  readonly names: readonly string[];
  readonly parsers: readonly Parser[];
}

/** What a connection of pg can do beside what its types tell. */
interface Wire {
  readonly parsedStatements: Readonly<Record<string, string>>;
  readonly stream: { cork(): void; uncork(): void };
  parse(statement: { readonly name: string; readonly text: string }): void;
  bind(portal: {
    readonly statement: string;
    readonly values: readonly (string | Buffer | null)[];
    readonly valueMapper: (value: unknown) => unknown;
  }): void;
  describe(portal: { readonly type: 'P' }): void;
  execute(portal: object): void;
  sync(): void;
}

interface Described {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

const known = new WeakMap<Client, Map<string, Columns>>();
const noColumns: Columns = { names: [], parsers: [] };

/**
 * Runs a prepared statement with half the CPU of pg's own query, which has every answer describe its columns anew
 * and makes several objects of each. `parserOf` says how values of a type are read from their text. Rejects with
 * the server's own error, or as pg does when the connection is lost or does not answer in time.
 */
export function ask(
  client: Client,
  { name, text, values, timeout }: Prepared,
  parserOf: (type: number) => Parser,
): Promise<Answer> {
  const kept = known.get(client) ?? new Map<string, Columns>();
  if (kept.size === 0) known.set(client, kept);
  return new Promise((resolve, reject) => {
    const rows: unknown[][] = [];
    let columns = kept.get(name);
    let done = '';
    let failure: { readonly error: unknown } | null = null;
    const late = timeout > 0 ? setTimeout(() => reject(new Error('Query read timeout')), timeout) : undefined;
    client.query({
      // By these two pg knows what it has been told to keep.
      ...{ name, text },
      submit(wire: Wire) {
        const isKept = wire.parsedStatements[name] !== undefined;
        wire.stream.cork();
        if (!isKept) wire.parse({ name, text });
        wire.bind({ statement: name, values, valueMapper: asItIs });
        if (columns === undefined) wire.describe({ type: 'P' });
        wire.execute({});
        wire.sync();
        wire.stream.uncork();
      },
      handleRowDescription({ fields }: Described) {
        columns = {
          names: fields.map((field) => field.name),
          parsers: fields.map(({ dataTypeID }) => parserOf(dataTypeID)),
        };
      },
      handleDataRow({ fields }: { readonly fields: unknown[] }) {
        try {
          rows.push(parsed(fields, columns ?? noColumns));
        } catch (error) {
          failure ??= { error };
        }
      },
      handleCommandComplete(complete: { readonly text: string }) {
        done = complete.text;
      },
      handleEmptyQuery() {},
      handleReadyForQuery() {
        clearTimeout(late);
        columns ??= noColumns;
        kept.set(name, columns);
        if (failure === null) resolve({ rows, names: columns.names, done });
        else reject(failure.error);
      },
      handleError(error: unknown) {
        clearTimeout(late);
        reject(error);
      },
    } as never);
  });
}

const asItIs = (value: unknown): unknown => value;

/** In place: pg has made the array for this row alone. */
function parsed(fields: unknown[], { parsers }: Columns): unknown[] {
  for (let index = 0; index < fields.length; index += 1) {
    const text = fields[index];
    if (text !== null) fields[index] = parsers[index]?.(text as string);
  }
  return fields;
}
