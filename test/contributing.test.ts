import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const guide = readFileSync(join(root, '.github/CONTRIBUTING.md'), 'utf8');

describe('The guide for contributors', () => {
  test('names only existing paths, and folders that runs of the tests make', () => {
    const ignored = readFileSync(join(root, '.gitignore'), 'utf8').split('\n');
    const paths = [...guide.matchAll(/`((?:core|adapters|app|contracts|test)(?:\/[\w./-]+)?|[A-Z]\w+\.md)`/g)]
      .map(([, path = '']) => path)
      .filter((path) => path !== '');
    assert.ok(paths.length > 50, `${paths.length} paths`);
    assert.deepEqual(
      paths.filter((path) => !existsSync(join(root, path)) && !ignored.includes(`${path}/`)),
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

  test('names every manifest with the version of the product in the steps of a release', () => {
    const { workspaces, optionalDependencies } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    ) as {
      readonly workspaces: readonly string[];
      readonly optionalDependencies: Readonly<Record<string, string>>;
    };
    const local = Object.values(optionalDependencies)
      .filter((from) => from.startsWith('file:'))
      .map((from) => from.slice('file:'.length));
    const manifests = [
      'package.json',
      ...[...workspaces, ...local].map((folder) => `${folder}/package.json`),
    ];
    assert.equal(manifests.length, 8);
    assert.deepEqual(unnamed(manifests, 'Release'), []);
  });

  test('names every file of the product that a column of the export is in', () => {
    const files = filesWith('allow_meeting_donation', ['core', 'adapters', 'contracts']);
    assert.ok(files.includes('adapters/express/pages/export/export-choice.ts'));
    assert.deepEqual(unnamed(files, 'A column of the export'), []);
  });

  test('names every file of the product that a route is in', () => {
    const files = filesWith('readEvents', ['core', 'adapters', 'contracts', 'test/support/http']);
    assert.ok(files.includes('adapters/express/api.ts'));
    assert.deepEqual(unnamed(files, 'A route'), []);
  });
});

/** The files that the section does not name, neither by their path nor by their folder. */
function unnamed(files: readonly string[], section: string): readonly string[] {
  const text = guide.split(/^##+ /m).find((part) => part.startsWith(`${section}\n`)) ?? '';
  assert.ok(text.length > 100, section);
  return files.filter((file) => !text.includes(`\`${file}\``) && !text.includes(`\`${dirname(file)}\``));
}

/** The files in the folders that contain the word. Released migrations and generated files are left out. */
function filesWith(word: string, folders: readonly string[]): readonly string[] {
  return folders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.(tsx?|json|yaml|md)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !/\/(dist|node_modules|generated|migrations)\/|\/decisions\.md$/.test(path))
    .filter((path) => new RegExp(`\\b${word}\\b`).test(readFileSync(join(root, path), 'utf8')));
}
