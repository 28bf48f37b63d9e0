import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openDatabase } from '#adapters/sql/index.js';

/** Longer than the writes of one turn of the event loop may take together. */
const WRITE_MS = 6;

function block(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

describe('Many writes of an SQLite file at the same time', () => {
  test('leave turns of the event loop to others, and run in the order in which they came', async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'rollcall-fair-'));
    const database = await openDatabase(`sqlite:${join(directory, 'rollcall.db')}`);
    t.after(async () => {
      await database.close();
      rmSync(directory, { recursive: true, force: true });
    });
    const done: number[] = [];
    let turns = 0;
    let isCounting = true;
    const count = (): void => {
      turns += 1;
      if (isCounting) setImmediate(count);
    };
    setImmediate(count);
    const write = (number: number): Promise<void> =>
      database.write(async () => {
        block(WRITE_MS);
        done.push(number);
      });
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    await Promise.all(numbers.map(write));
    isCounting = false;
    assert.deepEqual(done, numbers);
    assert.ok(
      turns >= numbers.length - 2,
      `${turns} turns of the event loop beside ${numbers.length} writes`,
    );
  });
});
