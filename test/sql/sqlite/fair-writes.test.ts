import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openDatabase } from '#adapters/sql/index.js';

/** Longer than all writes in one turn of the event loop may take. */
const WRITE_MS = 6;

function block(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

describe('Many simultaneous writes to an SQLite file', () => {
  test('let other work run in between, and run in order of arrival', async (t) => {
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
      `${turns} turns of the event loop during ${numbers.length} writes`,
    );
  });
});
