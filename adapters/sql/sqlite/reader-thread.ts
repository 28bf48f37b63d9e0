import { parentPort, workerData } from 'node:worker_threads';
import { type Connection, rawStatement, setUp, statement } from './connection.js';
import { sqliteDriver } from './driver.js';

/** A message to the thread. It handles one after another. */
export type Question =
  | {
      readonly kind: 'ask';
      /** Null for the state of the database when the statement runs. */
      readonly snapshot: number | null;
      /** `rows` returns each row as an array of its values. */
      readonly form: 'all' | 'rows';
      readonly text: string;
      readonly values: readonly unknown[];
    }
  | { readonly kind: 'end'; readonly snapshot: number }
  | { readonly kind: 'close' };

export type Answer =
  | { readonly rows: readonly unknown[] }
  | { readonly error: { readonly message: string; readonly code: string } };

const Driver = sqliteDriver();
const { path } = workerData as { readonly path: string };
const port = parentPort;
if (port === null) throw new Error('this is run as a thread');

/** Connections by snapshot. */
const connections = new Map<number | null, Connection>();

function connectionOf(snapshot: number | null): Connection {
  const known = connections.get(snapshot);
  if (known !== undefined) return known;
  const fresh = new Driver(path, { readonly: true });
  setUp(fresh, 'aside');
  connections.set(snapshot, fresh);
  return fresh;
}

function answerTo({ snapshot, form, text, values }: Extract<Question, { readonly kind: 'ask' }>): Answer {
  try {
    const connection = connectionOf(snapshot);
    if (snapshot !== null && !connection.inTransaction) statement(connection, 'BEGIN').run();
    const prepared = form === 'rows' ? rawStatement(connection, text) : statement(connection, text);
    return { rows: prepared.all(values) };
  } catch (error) {
    const { message, code = '' } = error as { readonly message: string; readonly code?: unknown };
    return { error: { message, code: String(code) } };
  }
}

/** Rows of bytes are moved: a copy would stay in this thread until a full garbage collection. All rows have the same types. */
function send(answer: Answer): void {
  const [first] = 'rows' in answer ? answer.rows : [];
  const isOfBytes = Object.values(first ?? {}).some(isMovable);
  const bytes =
    isOfBytes && 'rows' in answer ? answer.rows.flatMap((row) => Object.values(row as object)) : [];
  port?.postMessage(
    answer,
    bytes.filter(isMovable).map(({ buffer }) => buffer),
  );
}

function isMovable(value: unknown): value is Uint8Array<ArrayBuffer> {
  return value instanceof Uint8Array && value.byteLength === value.buffer.byteLength;
}

function end(snapshot: number | null): void {
  connections.get(snapshot)?.close();
  connections.delete(snapshot);
}

port.on('message', (question: Question) => {
  if (question.kind === 'ask') send(answerTo(question));
  else if (question.kind === 'end') end(question.snapshot);
  else {
    for (const snapshot of [...connections.keys()]) end(snapshot);
    port.close();
  }
});
