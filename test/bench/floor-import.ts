import { createReadStream } from 'node:fs';
import pg from 'pg';
import { kinds } from '#adapters/sql/maintenance/staged-kinds.js';
import { SqliteDatabase } from '../support/sqlite.js';

/**
 * The floor of `rollcall import`: parses the same file and stores its records in the same tables, with their indexes and
 * triggers, in one transaction. It checks nothing, and needs every record after those that it refers to.
 */

type Value = string | number | boolean | null;
type Fields = Readonly<Record<string, Value>>;

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly valuesOf: (fields: Fields) => readonly (Value | undefined)[];
}

interface Target {
  /** Stores the values of some rows, one row after another. */
  store(table: Table, values: readonly Value[]): Promise<void> | void;
  commit(): Promise<void> | void;
}

const ROWS_AT_ONCE = { sqlite: 50, postgres: 1_000 } as const;

const special = /[\\\t\n\r]/;
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

const now = new Date().toISOString();
const uuids = new Map<Value, Value>();
const endTimes = new Map<Value, Value>();

const meetingColumns = ['id', ...kinds.meeting.columns.map(({ name }) => name)];

const tables: Readonly<Record<string, Table>> = {
  organization: {
    name: 'organizations',
    columns: ['id', 'name', 'eap'],
    valuesOf: ({ id, name, eap }) => [id, name, eap],
  },
  user: {
    name: 'users',
    columns: ['id', 'uuid', 'email', 'first_name', 'last_name', 'avatar', 'created_at'],
    valuesOf(fields) {
      const { id = null, uuid = null, email, first_name, last_name, avatar, created_at } = fields;
      uuids.set(id, uuid);
      return [id, uuid, email, first_name, last_name, avatar, created_at];
    },
  },
  membership: {
    name: 'memberships',
    columns: ['organization_id', 'user_id', 'uuid', 'role', 'idp_id', 'created_at'],
    valuesOf: ({ organization_id, user_id = null, role, idp_id }) => [
      ...[organization_id, user_id, uuids.get(user_id), role, idp_id, now],
    ],
  },
  meeting: {
    name: 'meetings',
    columns: [...meetingColumns, 'updated_at'],
    valuesOf(fields) {
      const { id = null, end_time = null, price } = fields;
      endTimes.set(id, end_time);
      const text = price === null ? null : JSON.stringify(price);
      return [...meetingColumns.map((name) => (name === 'price' ? text : fields[name])), now];
    },
  },
  registration: {
    name: 'registrations',
    columns: ['meeting_id', 'user_id', 'registered_at', 'end_time'],
    valuesOf: ({ meeting_id = null, user_id, registered_at }) => [
      ...[meeting_id, user_id, registered_at, endTimes.get(meeting_id)],
    ],
  },
};

const [url = '', file = ''] = process.argv.slice(2);
const engine = url.startsWith('sqlite:') ? 'sqlite' : 'postgres';
const target = engine === 'sqlite' ? sqlite(url.slice('sqlite:'.length)) : await postgres(url);
const waiting = new Map<Table, Value[]>(Object.values(tables).map((table) => [table, []]));

for await (const lines of linesOf(file)) {
  for (const line of lines) {
    const full = add(line);
    if (full !== null) await storeUpTo(full);
  }
}
for (const table of waiting.keys()) await storeUpTo(table);
await target.commit();

/** Returns the table if its rows should now be stored. */
function add(line: string): Table | null {
  const { kind, ...fields } = JSON.parse(line) as { readonly kind: string } & Fields;
  const table = tables[kind];
  if (table === undefined) throw new Error(`the floor stores no ${kind}`);
  const values = waiting.get(table) ?? [];
  for (const value of table.valuesOf(fields)) values.push(value ?? null);
  return values.length < ROWS_AT_ONCE[engine] * table.columns.length ? null : table;
}

/** Stores the waiting rows of the table, and before it those of the tables that it refers to. */
async function storeUpTo(last: Table): Promise<void> {
  for (const [table, values] of waiting) {
    waiting.set(table, []);
    if (values.length > 0) await target.store(table, values);
    if (table === last) return;
  }
}

async function* linesOf(path: string): AsyncGenerator<readonly string[]> {
  let rest = '';
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 256 * 1024 })) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield lines;
  }
}

/** With the product's own settings for loading. */
function sqlite(path: string): Target {
  const database = new SqliteDatabase(path);
  for (const pragma of ['foreign_keys = ON', 'synchronous = FULL', 'cache_size = -65536'])
    database.pragma(pragma);
  database.exec('BEGIN IMMEDIATE');
  const statements = new Map<string, (values: readonly Value[]) => void>();
  return {
    store(table, values) {
      const { name, columns } = table;
      const count = values.length / columns.length;
      const id = `${name} ${count}`;
      let run = statements.get(id);
      if (run === undefined) {
        const row = `(${columns.map(() => '?').join(', ')})`;
        const rows = Array.from({ length: count }, () => row).join(', ');
        const statement = database.prepare(`INSERT INTO ${name} (${columns.join(', ')}) VALUES ${rows}`);
        run = (all) => void statement.run(all);
        statements.set(id, run);
      }
      run(values.map((value) => (typeof value === 'boolean' ? Number(value) : value)));
    },
    commit() {
      database.exec('COMMIT');
      database.close();
    },
  };
}

/** The members of a pg connection that its types do not declare. */
interface Wire {
  query(text: string): void;
  sendCopyFromChunk(bytes: Uint8Array): void;
  endCopyFrom(): void;
}

async function postgres(connectionString: string): Promise<Target> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query('BEGIN');
  return {
    store: ({ name, columns }, values) =>
      new Promise((resolve, reject) => {
        client.query({
          submit: (wire: unknown) => (wire as Wire).query(`COPY ${name} (${columns.join(', ')}) FROM STDIN`),
          handleCopyInResponse(wire: Wire) {
            wire.sendCopyFromChunk(Buffer.from(copyText(values, columns.length)));
            wire.endCopyFrom();
          },
          handleCommandComplete() {},
          handleReadyForQuery: () => resolve(),
          handleError: reject,
        });
      }),
    async commit() {
      await client.query('COMMIT');
      await client.end();
    },
  };
}

function copyText(values: readonly Value[], width: number): string {
  let text = '';
  for (let index = 0; index < values.length; index += 1)
    text += copyField(values[index] ?? null) + (index % width === width - 1 ? '\n' : '\t');
  return text;
}

function copyField(value: Value): string {
  if (value === null) return '\\N';
  if (typeof value !== 'string') return String(value);
  return special.test(value) ? value.replace(/[\\\t\n\r]/g, (letter) => escapes[letter] ?? letter) : value;
}
