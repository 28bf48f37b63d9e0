import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import pg, { type Client } from 'pg';
import {
  detachSocket,
  onParameter,
  processIdOf,
  requestCancel,
  type Submission,
  submit,
  type Wire,
  wireOf,
} from '#adapters/sql/fast-paths/wire.js';
import { startPostgresUrl } from '../../support/postgres.js';

/** What to do when a test of this file fails. */
const hint = 'pg has changed what adapters/sql/fast-paths uses: see its wire.ts';

interface Call {
  readonly method: string;
  readonly message: unknown;
}

/** Submits a query, and returns the calls that pg makes, in order. */
function record(
  client: Client,
  given: Partial<Submission> & Pick<Submission, 'submit'>,
): Promise<readonly Call[]> {
  const calls: Call[] = [];
  return new Promise((resolve) => {
    const keep =
      (method: string, own?: (message: never) => void) =>
      (message: unknown): void => {
        calls.push({ method, message });
        own?.(message as never);
      };
    const end = (method: string) => (message: unknown) => {
      calls.push({ method, message });
      resolve(calls);
    };
    submit(client, {
      ...given,
      handleRowDescription: keep('handleRowDescription'),
      handleDataRow: keep('handleDataRow'),
      handleCopyInResponse: keep('handleCopyInResponse', given.handleCopyInResponse),
      handleCopyData: keep('handleCopyData'),
      handleEmptyQuery: keep('handleEmptyQuery'),
      handleCommandComplete: keep('handleCommandComplete'),
      handleReadyForQuery: end('handleReadyForQuery'),
      handleError: end('handleError'),
    } as Submission);
  });
}

const methodsOf = (calls: readonly Call[]): readonly string[] => calls.map(({ method }) => method);

describe('The internals of pg that the fast paths use', () => {
  let started: Awaited<ReturnType<typeof startPostgresUrl>>;
  let client: Client;
  before(async () => {
    started = await startPostgresUrl({ migrated: false });
    client = new pg.Client(started.url);
    await client.connect();
    await client.query('CREATE TEMPORARY TABLE numbers (number int, text text)');
  });
  after(async () => {
    await client.end();
    await started.stop();
  });

  const statement = {
    name: 'numbers',
    text: "SELECT n::int AS number, 'x' AS text FROM generate_series(1, $1) AS n",
  };
  const run = (wire: Wire, { parse }: { readonly parse: boolean }): void => {
    wire.stream.cork();
    if (parse) wire.parse(statement);
    wire.bind({ statement: statement.name, values: ['2'], valueMapper: (value) => value });
    if (parse) wire.describe({ type: 'P' });
    wire.execute({});
    wire.sync();
    wire.stream.uncork();
  };

  test('are pinned to one minor version', () => {
    type Versions = Readonly<Record<string, string>>;
    const sql: { readonly peerDependencies: Versions } = JSON.parse(
      readFileSync('adapters/sql/package.json', 'utf8'),
    );
    const app: { readonly dependencies: Versions } = JSON.parse(readFileSync('app/package.json', 'utf8'));
    assert.match(String(sql.peerDependencies.pg), /^~8\.\d+\.\d+$/, hint);
    assert.equal(app.dependencies.pg, sql.peerDependencies.pg, hint);
  });

  test('include the connection, its methods and its socket', () => {
    const wire = wireOf(client);
    for (const method of [
      'query',
      'parse',
      'bind',
      'describe',
      'execute',
      'sync',
      'sendCopyFromChunk',
      'endCopyFrom',
      'connect',
      'requestSsl',
      'cancel',
      'end',
    ] as const)
      assert.equal(typeof wire[method], 'function', `${method}: ${hint}`);
    for (const method of ['cork', 'uncork', 'pause', 'resume', 'destroy'] as const)
      assert.equal(typeof wire.stream[method], 'function', `stream.${method}: ${hint}`);
    assert.equal(typeof wire.parsedStatements, 'object', hint);
    assert.equal(typeof processIdOf(client), 'number', hint);
    const { secretKey } = client as unknown as { readonly secretKey: unknown };
    assert.equal(typeof secretKey, 'number', hint);
  });

  test('cancel a statement, report settings, and let go of the socket', async () => {
    const other: Client = new pg.Client(started.url);
    other.on('error', () => undefined);
    const reported = new Map<string, string>();
    onParameter(other, (name, value) => reported.set(name, value));
    await other.connect();
    assert.deepEqual(
      [reported.get('in_hot_standby'), reported.get('default_transaction_read_only')],
      ['off', 'off'],
    );
    const sleeping = assert.rejects(other.query('SELECT pg_sleep(20)'), { code: '57014' });
    await setTimeout(100);
    await requestCancel(other);
    await sleeping;
    const waiting = assert.rejects(other.query('SELECT pg_sleep(0.1)'), /^Error: Connection terminated/);
    const socket = detachSocket(other);
    await waiting;
    socket.leave();
    await socket.closed;
    await other.end();
  });

  test('return the columns of a prepared statement once, and its rows as text', async () => {
    const first = await record(client, { ...statement, submit: (wire) => run(wire, { parse: true }) });
    assert.deepEqual(
      methodsOf(first),
      [
        'handleRowDescription',
        'handleDataRow',
        'handleDataRow',
        'handleCommandComplete',
        'handleReadyForQuery',
      ],
      hint,
    );
    const [described, row, , completed] = first;
    const { fields } = (described as Call).message as {
      readonly fields: readonly { name: string; dataTypeID: number }[];
    };
    assert.deepEqual(
      fields.map(({ name, dataTypeID }) => [name, dataTypeID]),
      [
        ['number', pg.types.builtins.INT4],
        ['text', pg.types.builtins.TEXT],
      ],
      hint,
    );
    assert.deepEqual((row?.message as { fields: unknown } | undefined)?.fields, ['1', 'x'], hint);
    assert.equal((completed?.message as { text: unknown } | undefined)?.text, 'SELECT 2', hint);
    assert.equal(wireOf(client).parsedStatements[statement.name], statement.text, hint);
    const again = await record(client, { ...statement, submit: (wire) => run(wire, { parse: false }) });
    assert.deepEqual(
      methodsOf(again),
      ['handleDataRow', 'handleDataRow', 'handleCommandComplete', 'handleReadyForQuery'],
      hint,
    );
  });

  test('report an empty statement and an error', async () => {
    const empty = await record(client, { submit: (wire) => wire.query('') });
    assert.deepEqual(methodsOf(empty), ['handleEmptyQuery', 'handleReadyForQuery'], hint);
    const failed = await record(client, { submit: (wire) => wire.query('SELECT 1 / 0') });
    assert.equal(failed.at(-1)?.method, 'handleError', hint);
    const { code } = (failed.at(-1) as Call).message as { readonly code: unknown };
    assert.equal(code, '22012', hint);
  });

  test('store rows with COPY, and return them', async () => {
    const stored = await record(client, {
      submit: (wire) => wire.query('COPY numbers FROM STDIN'),
      handleCopyInResponse(wire) {
        wire.sendCopyFromChunk(Buffer.from('1\tone\n2\t\\N\n'));
        wire.endCopyFrom();
      },
    });
    assert.deepEqual(
      methodsOf(stored),
      ['handleCopyInResponse', 'handleCommandComplete', 'handleReadyForQuery'],
      hint,
    );
    const returned = await record(client, {
      submit: (wire) => wire.query('COPY (SELECT * FROM numbers ORDER BY 1) TO STDOUT'),
    });
    assert.deepEqual(
      methodsOf(returned),
      ['handleCopyData', 'handleCopyData', 'handleCommandComplete', 'handleReadyForQuery'],
      hint,
    );
    assert.deepEqual(
      returned.slice(0, 2).map(({ message }) => String((message as { chunk: Buffer }).chunk)),
      ['1\tone\n', '2\t\\N\n'],
      hint,
    );
  });
});
