import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { Unavailable } from '@rollcall/core';
import pg, { type Client, type ClientConfig } from 'pg';
import { isMisconfigured } from '#adapters/sql/index.js';
import {
  commitError,
  isConnectionLost,
  isConnectionUseless,
  isTlsRefused,
  translateError,
} from '#adapters/sql/postgres/errors.js';
import { listen } from '../../support/listen.js';

/** What to do when a test of this file fails. */
const hint =
  'pg has changed the text of an error that has no code: see adapters/sql/postgres/errors.ts and engine/misconfigured.ts';

/** The messages of PostgreSQL with which it accepts a connection. */
const READY = Buffer.concat([Buffer.from('R\0\0\0\x08\0\0\0\0'), Buffer.from('Z\0\0\0\x05I')]);
const SYNTAX_ERROR = Buffer.concat([Buffer.from('E\0\0\0\x0fC42601\0Mno\0\0'), Buffer.from('Z\0\0\0\x05I')]);

/** What the server does with the first message of a connection, and with later ones. */
interface Answers {
  readonly first: (socket: Socket) => void;
  readonly later?: (socket: Socket) => void;
}

const accept = (socket: Socket): void => void socket.write(READY);
const hangUp = (socket: Socket): void => void socket.destroy();
const say = (text: string | Buffer) => (socket: Socket) => void socket.write(text);
const nothing = (): void => undefined;

/** A client of a server that answers like this. Both end with the test. */
async function clientOf(
  context: TestContext,
  { first, later = nothing }: Answers,
  options: ClientConfig = {},
): Promise<Client> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', nothing);
    socket.once('data', () => {
      first(socket);
      socket.on('data', () => later(socket));
    });
  });
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const port = await listen(server);
  const client: Client = new pg.Client({ host: '127.0.0.1', port, user: 'u', database: 'd', ...options });
  client.on('error', nothing);
  return client;
}

async function connected(
  context: TestContext,
  later: Answers['later'],
  options?: ClientConfig,
): Promise<Client> {
  const client = await clientOf(context, { first: accept, ...(later && { later }) }, options);
  await client.connect();
  return client;
}

async function errorOf(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Error, 'it did not fail');
  return error;
}

/** The message, and what the product takes the error for. */
async function judged(work: Promise<unknown>) {
  const error = await errorOf(work);
  return {
    message: error.message,
    isLost: isConnectionLost(error),
    isTlsRefused: isTlsRefused(error),
    isMisconfigured: isMisconfigured(error),
  };
}

const lost = (message: string) => ({ message, isLost: true, isTlsRefused: false, isMisconfigured: false });

describe('Errors of pg that only their texts tell apart', () => {
  test('a server without TLS', async (context) => {
    const client = await clientOf(context, { first: say('N') }, { ssl: { rejectUnauthorized: false } });
    assert.deepEqual(
      await judged(client.connect()),
      {
        message: 'The server does not support SSL connections',
        isLost: false,
        isTlsRefused: true,
        isMisconfigured: true,
      },
      hint,
    );
  });

  test('a server that does not answer a new connection', async (context) => {
    const client = await clientOf(context, { first: nothing }, { connectionTimeoutMillis: 50 });
    assert.deepEqual(await judged(client.connect()), lost('timeout expired'), hint);
  });

  test('a server that hangs up on a new connection', async (context) => {
    const client = await clientOf(context, { first: hangUp });
    assert.deepEqual(await judged(client.connect()), lost('Connection terminated unexpectedly'), hint);
  });

  test('a server that hangs up during a query, and a query afterwards', async (context) => {
    const client = await connected(context, hangUp);
    const first = await judged(client.query('SELECT 1'));
    assert.deepEqual(first, lost('Connection terminated unexpectedly'), hint);
    assert.deepEqual(
      await judged(client.query('SELECT 1')),
      lost('Client has encountered a connection error and is not queryable'),
      hint,
    );
  });

  test('a connection that this process ends during a query, and a query afterwards', async (context) => {
    const client = await connected(context, nothing);
    const first = judged(client.query('SELECT 1'));
    await client.end();
    assert.deepEqual(await first, lost('Connection terminated'), hint);
    assert.deepEqual(
      await judged(client.query('SELECT 1')),
      lost('Client was closed and is not queryable'),
      hint,
    );
  });

  test('a query without an answer', async (context) => {
    const client = await connected(context, nothing, { query_timeout: 50 });
    assert.deepEqual(await judged(client.query('SELECT 1')), lost('Query read timeout'), hint);
  });

  test('and an error of a statement is none of these', async (context) => {
    const client = await connected(context, say(SYNTAX_ERROR));
    assert.deepEqual(await judged(client.query('SELEC 1')), {
      message: 'no',
      isLost: false,
      isTlsRefused: false,
      isMisconfigured: false,
    });
  });
});

/** An error of the server. */
const answered = (code: string) => Object.assign(new Error('no'), { code });

describe('SQLSTATEs', () => {
  const useless = [
    ...['08006', '0A000', '25006', '25001', '25P02', '25P03', '25P04', '26000', '42P05', '53200', '55000'],
    ...['57P01', '57P02', '57P03', '57P04', '57P05', '58030', 'XX000', 'XX001', 'ECONNRESET'],
  ];
  const harmless = ['22P02', '23505', '40001', '40P01', '42501', '42P01', '53100', '53300', '55P03', '57014'];

  test('after which a connection is not used again, and others', () => {
    assert.deepEqual(
      [...useless, ...harmless].filter((code) => isConnectionUseless(answered(code))),
      useless,
    );
  });

  test('of a COMMIT say whether its outcome is known', () => {
    const isUnknown = (error: Error): boolean | undefined => {
      const translated = commitError(translateError(error));
      return translated instanceof Unavailable ? translated.isOutcomeUnknown : undefined;
    };
    for (const code of ['40001', '57014', '25006']) assert.equal(isUnknown(answered(code)), false, code);
    for (const code of ['57P01', '08006', 'ECONNRESET']) assert.equal(isUnknown(answered(code)), true, code);
    assert.equal(isUnknown(new Error('Query read timeout')), true);
    assert.equal(isUnknown(answered('23505')), undefined);
  });
});
