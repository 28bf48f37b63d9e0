import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const decisions = readFileSync(join(root, 'contracts/decisions.md'), 'utf8');
const numbers = [...decisions.matchAll(/^### (\d+)\. /gm)].map(([, number]) => Number(number));

describe('The decisions', () => {
  test('have unique numbers', () => {
    assert.ok(numbers.length > 50);
    assert.deepEqual(
      numbers.filter((number, index) => numbers.indexOf(number) !== index),
      [],
    );
  });

  test('exist if code, tests or documents refer to them', () => {
    const folders = ['core', 'adapters', 'app', 'contracts', 'test'];
    const cited = folders.flatMap((folder) => sources(join(root, folder))).flatMap(citations);
    assert.ok(cited.length > 90, `${cited.length} citations`);
    assert.deepEqual(
      cited.filter(({ number }) => !numbers.includes(number)),
      [],
    );
  });
});

function sources(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|md|yaml)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/[\\/](dist|node_modules)[\\/]/.test(path));
}

function citations(path: string): readonly { readonly path: string; readonly number: number }[] {
  return [...readFileSync(path, 'utf8').matchAll(/\bdecisions? (\d+)(?: and (\d+))?/g)].flatMap(
    ([, ...found]) =>
      found.filter((number) => number !== undefined).map((number) => ({ path, number: Number(number) })),
  );
}
