import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const guide = readFileSync(join(root, '.github/CONTRIBUTING.md'), 'utf8');

describe('The guide for contributors', () => {
  test('names only existing paths', () => {
    const paths = [...guide.matchAll(/`((?:core|adapters|app|contracts|test)(?:\/[\w./-]+)?|[A-Z]\w+\.md)`/g)]
      .map(([, path = '']) => path)
      .filter((path) => path !== '');
    assert.ok(paths.length > 50, `${paths.length} paths`);
    assert.deepEqual(
      paths.filter((path) => !existsSync(join(root, path))),
      [],
    );
  });

  test('names only scripts in package.json', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const names = [...guide.matchAll(/npm run ([\w:]+)\b(?! -w)/g)].map(([, name = '']) => name);
    assert.ok(names.length > 5);
    assert.deepEqual(
      names.filter((name) => !(name in scripts)),
      [],
    );
  });

  test('runs only existing tests', () => {
    const arguments_ = [...guide.matchAll(/npm run test:only -- ([^"`\n#]+)/g)].flatMap(([, parts = '']) =>
      parts.trim().split(/\s+/),
    );
    const folders = arguments_.filter((part) => !part.startsWith('--') && !part.endsWith('.ts'));
    const missing = folders.filter(
      (part) => !existsSync(join(root, 'test', part)) && !existsSync(join(root, 'test', `${part}.test.ts`)),
    );
    assert.deepEqual(missing, []);
  });
});
