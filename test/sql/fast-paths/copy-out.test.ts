import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Client } from 'pg';
import { createExportTurns } from '#adapters/sql/engine/export-turns.js';
import { copyOut } from '#adapters/sql/fast-paths/copy-out.js';
import { copiedWith } from '../../support/copied-rows.js';

/** The methods that pg calls with the messages of the server. */
interface MessageHandlers {
  handleCopyData(message: { readonly chunk: Buffer }): void;
  handleReadyForQuery(): void;
  handleError(error: unknown): void;
}

/** A connection whose server messages come from the test. */
function fakeConnection() {
  let handlers: MessageHandlers | undefined;
  const state = { isPaused: false };
  const stream = {
    pause: () => {
      state.isPaused = true;
    },
    resume: () => {
      state.isPaused = false;
    },
  };
  const query = (submitted: MessageHandlers): void => {
    handlers = submitted;
  };
  const client = { connection: { stream }, query } as unknown as Client;
  const row = (length: number): void =>
    handlers?.handleCopyData({ chunk: Buffer.from(`${'x'.repeat(length)}\n`) });
  return {
    client,
    state,
    row,
    ready: () => handlers?.handleReadyForQuery(),
    fail: (error: Error) => handlers?.handleError(error),
  };
}

const options = { encode: copiedWith(''), reading: createExportTurns(1) };

describe('copyOut', () => {
  test('pauses reading when a chunk is full, until the next one is requested', async () => {
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

  test('gives other work a turn after 16 KB, and then after every 64 KB', async () => {
    const { client, state, row, ready } = fakeConnection();
    const rows = copyOut(client, 'COPY', options);
    const fill = async (): Promise<number> => {
      const piece = rows.next();
      await setImmediate();
      while (!state.isPaused) row(1_000);
      return (await piece).length;
    };
    const pieces = [await fill(), await fill(), await fill()];
    assert.deepEqual(pieces, [17_000, 66_000, 66_000]);
    ready();
  });

  test('limits the number of simultaneous readers', async (t) => {
    // On a busy machine, the first reader would wait so long for its server that it no longer counts.
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const reading = createExportTurns(1);
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

  test('frees the connection for the next statement if the end comes with a full chunk', async () => {
    const { client, state, row, ready } = fakeConnection();
    const rows = copyOut(client, 'COPY', options);
    row(20_000);
    ready();
    assert.equal(state.isPaused, false);
    assert.equal((await rows.next()).length, 20_000);
    assert.equal(rows.isFinished(), true);
  });

  test('fails with the error of the server, and frees the connection', async () => {
    const { client, state, row, fail } = fakeConnection();
    const rows = copyOut(client, 'COPY', options);
    row(20_000);
    fail(new Error('canceled'));
    assert.equal(state.isPaused, false);
    await assert.rejects(rows.next(), /canceled/);
    assert.equal(rows.isFinished(), false);
  });
});
