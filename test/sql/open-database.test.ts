import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '#adapters/sql/index.js';

test('a database in memory, or of another kind, is refused by its name, and leaves no file', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-open-'));
  const before = process.cwd();
  process.chdir(folder);
  t.after(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  });
  for (const url of ['sqlite::memory:', ':memory:', 'sqlite:', ''])
    await assert.rejects(openDatabase(url), {
      name: 'TypeError',
      message:
        'a database in memory is not supported: give the path of a file, such as sqlite:data/rollcall.db',
    });
  await assert.rejects(openDatabase('mysql://here'), { message: 'databases of mysql: are not supported' });
  await assert.rejects(openDatabase('file::memory:'), { message: 'databases of file: are not supported' });
  assert.deepEqual(readdirSync(folder), []);
});
