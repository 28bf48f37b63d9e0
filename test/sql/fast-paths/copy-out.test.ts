import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Client } from 'pg';
import { copyOut } from '#adapters/sql/fast-paths/copy-out.js';
import { createSemaphore } from '#adapters/sql/postgres/semaphore.js';

/** What pg calls when the server answers. */
interface Answers {
  handleCopyData(message: { readonly chunk: Buffer }): void;
  handleReadyForQuery(): void;
  handleError(error: unknown): void;
}

/** A server's connection, of which the test says what comes when. */
function fakeConnection() {
  let answers: Answers | undefined;
  const state = { isPaused: false };
  const stream = {
    pause: () => {
      state.isPaused = true;
    },
    resume: () => {
      state.isPaused = false;
    },
  };
  const query = (asked: Answers): void => {
    answers = asked;
  };
  const client = { connection: { stream }, query } as unknown as Client;
  const row = (length: number): void =>
    answers?.handleCopyData({ chunk: Buffer.from(`${'x'.repeat(length)}\n`) });
  return {
    client,
    state,
    row,
    ready: () => answers?.handleReadyForQuery(),
    fail: (error: Error) => answers?.handleError(error),
  };
}

const options = { encode: (row: string) => row, reading: createSemaphore(1) };

describe('Rows that COPY gives', () => {
  test('are no longer read when a piece is full, until the next one is asked for', async () => {
    const { client, state, row, ready } = fakeConnection();
    const rows = copyOut(client, 'COPY', options);
    row(20_000);
    assert.equal(state.isPaused, true);
    assert.equal((await rows.next()).length, 20_000);
    assert.equal(state.isPaused, true);
    const next = rows.next();
    await setImmediate();
    assert.equal(state.isPaused, false);
    row(10);
    ready();
    assert.equal((await next).length, 10);
    assert.equal(rows.isFinished(), true);
  });

  test('are read with a limit of readers', async () => {
    const reading = createSemaphore(1);
    const [one, other] = [fakeConnection(), fakeConnection()];
    const [first, second] = [one, other].map(({ client }) =>
      copyOut(client, 'COPY', { ...options, reading }).next(),
    );
    await setImmediate();
    assert.deepEqual([one.state.isPaused, other.state.isPaused], [false, true]);
    one.row(20_000);
    await first;
    await setImmediate();
    assert.deepEqual([one.state.isPaused, other.state.isPaused], [true, false]);
    other.ready();
    await second;
  });

  test('leave the connection to the next statement, though the end comes with a full piece', async () => {
    const { client, state, row, ready } = fakeConnection();
    const rows = copyOut(client, 'COPY', options);
    row(20_000);
    ready();
    assert.equal(state.isPaused, false);
    assert.equal((await rows.next()).length, 20_000);
    assert.equal(rows.isFinished(), true);
  });

  test('end with the error of the server, and leave the connection as well', async () => {
    const { client, state, row, fail } = fakeConnection();
    const rows = copyOut(client, 'COPY', options);
    row(20_000);
    fail(new Error('canceled'));
    assert.equal(state.isPaused, false);
    await assert.rejects(rows.next(), /canceled/);
    assert.equal(rows.isFinished(), false);
  });
});
