import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { groupFiles, writeGroups } from './support/run/groups.js';
import { askForPostgres, postgresOnDemand } from './support/run/postgres-on-demand.js';
import { slowestFirst, slowFiles } from './support/run/slow-files.js';
import { filesAt, filesNaming, listTestFiles, parseSelection } from './support/run/test-files.js';

const program = fileURLToPath(new URL('run.js', import.meta.url));
const sources = fileURLToPath(new URL('..', import.meta.url));
/** A port on which nothing listens. */
const unreachable = 'postgres://127.0.0.1:1/postgres';

describe('The test runner', () => {
  test('selects files by path, folder or a part of them, also as the shell completes it', () => {
    const files = ['core/users.test.ts', 'core/values.test.ts', 'http/invite-user.test.ts'];
    assert.deepEqual(filesAt(files, []), files);
    assert.deepEqual(filesAt(files, ['core/']), ['core/users.test.ts', 'core/values.test.ts']);
    for (const path of ['users', './test/core/users.test.ts', 'test/dist/core/users.test.js'])
      assert.deepEqual(filesAt(files, [path]), ['core/users.test.ts']);
    assert.deepEqual(filesAt(files, ['values', 'http']), ['core/values.test.ts', 'http/invite-user.test.ts']);
    assert.deepEqual(filesAt(files, ['nowhere']), []);
  });

  test('reads a name as a pattern, and refuses other options', () => {
    assert.deepEqual(parseSelection(['core', '--name', 'a.c']), { paths: ['core'], name: 'a.c' });
    assert.deepEqual(parseSelection([]), { paths: [], name: null });
    assert.throws(() => parseSelection(['--name']), /needs a pattern/);
    assert.throws(() => parseSelection(['--only']), /--only is not an option/);
    assert.throws(() => parseSelection(['--name', '(']), SyntaxError);
  });

  test('runs the slow files first, and they all exist', () => {
    const files = listTestFiles(sources);
    assert.deepEqual(
      slowFiles.filter((file) => !files.includes(file)),
      [],
    );
    assert.deepEqual(slowestFirst(['a.test.ts', slowFiles[0] ?? '', 'b.test.ts']), [
      slowFiles[0],
      'a.test.ts',
      'b.test.ts',
    ]);
    assert.deepEqual([...slowestFirst(files)].sort(), files);
  });

  test('runs files together unless one is slow, uses a browser, stops the coverage or needs its own process', () => {
    const texts: Readonly<Record<string, string>> = {
      'fault/stop.test.ts': '',
      'http/access.test.ts': '',
      'http/body.test.ts': '  before(start);',
      'http/headers.test.ts': '',
      'http/hostile.test.ts': `import '../support/run/without-coverage.js';\nimport x;`,
      'pages/webhooks-browser.test.ts': '',
      'sql/hooks.test.ts': `import x;\nafter(stop);`,
      'sql/environment.test.ts': 'process.env.TZ = zone;',
    };
    const { groups, alone } = groupFiles(Object.keys(texts), (file) => texts[file] ?? '');
    assert.deepEqual(groups, [
      { name: 'http-1', files: ['http/body.test.ts', 'http/headers.test.ts'] },
      { name: 'http-without-coverage-1', files: ['http/hostile.test.ts'] },
    ]);
    assert.deepEqual(
      alone,
      Object.keys(texts).filter((file) => !/body|headers|hostile/.test(file)),
    );
  });

  test('runs each file once, in groups of a limited size', () => {
    const files = listTestFiles(sources);
    const { groups, alone } = groupFiles(files, (file) => readFileSync(join(sources, file), 'utf8'));
    assert.deepEqual([...groups.flatMap((group) => group.files), ...alone].sort(), files);
    const http = groups.filter(({ name }) => name.startsWith('http-'));
    assert.ok(http.length > 1 && http.every((group) => group.files.length <= 14), JSON.stringify(http));
  });

  test('writes a module for each group, and removes those of an earlier run', () => {
    const compiled = mkdtempSync(join(tmpdir(), 'rollcall-run-'));
    try {
      writeGroups(compiled, [{ name: 'old-1', files: ['old/a.test.ts'] }]);
      const [path = ''] = writeGroups(compiled, [
        { name: 'sql-1', files: ['sql/a.test.ts', 'sql/b.test.tsx'] },
      ]);
      assert.deepEqual(readdirSync(dirname(path)), ['sql-1.js']);
      const imported = [...readFileSync(path, 'utf8').matchAll(/^import "(.*)";$/gm)].map(
        ([, url = '']) => url,
      );
      assert.deepEqual(
        imported.map((url) => fileURLToPath(url)),
        [join(compiled, 'sql/a.test.js'), join(compiled, 'sql/b.test.js')],
      );
    } finally {
      rmSync(compiled, { recursive: true });
    }
  });

  describe('with a name', () => {
    let folder: string;
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'rollcall-run-'));
      const texts = {
        'tests/a.test.ts': `test('joins twice')`,
        'tests/b.test.ts': `import { suite } from './sections/suite.js';`,
        'tests/sections/suite.ts': `test('leaves twice')`,
        'tests/c.test.ts': `import { storageSuites } from '@rollcall/core/testing';`,
        'core/testing/suites/outbox.ts': `test('claims once')`,
      };
      for (const [path, text] of Object.entries(texts)) {
        mkdirSync(join(folder, dirname(path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
    });
    after(() => rmSync(folder, { recursive: true }));

    test('loads only files that contain it, directly or through an import', () => {
      const tests = join(folder, 'tests');
      const files = listTestFiles(tests);
      assert.deepEqual(filesNaming(tests, files, 'joins'), ['a.test.ts']);
      assert.deepEqual(filesNaming(tests, files, 'leaves|joins'), ['a.test.ts', 'b.test.ts']);
      assert.deepEqual(filesNaming(tests, files, '^.*claims once'), ['c.test.ts']);
      assert.deepEqual(filesNaming(tests, files, 'composed'), files);
    });
  });

  test('runs a file that needs no PostgreSQL without one', () => {
    const { status, stdout } = runTests(['core/values/page'], { TEST_POSTGRES_URL: unreachable });
    assert.equal(status, 0, stdout);
    assert.match(stdout, /ℹ fail 0/);
  });

  test('fails if a path or a name matches nothing, and reports it', () => {
    const path = runTests(['nowhere/at-all']);
    assert.deepEqual(
      [path.status, path.stderr],
      [1, 'No test file has a path that contains nowhere/at-all.\n'],
    );
    const name = runTests(['core/values/page', '--name', 'no such name']);
    assert.deepEqual([name.status, name.stderr], [1, 'No test has a name that matches no such name.\n']);
  });

  test('reports why PostgreSQL does not start to the file that requests it', async (t) => {
    const postgres = await postgresOnDemand(unreachable);
    t.after(postgres.remove);
    await assert.rejects(askForPostgres(postgres.url), /PostgreSQL does not start: .*ECONNREFUSED/);
  });
});

/** Runs the program like `npm run test:only`. */
function runTests(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { NODE_TEST_CONTEXT: _nested, TEST_POSTGRES_ON_DEMAND: _shared, ...own } = process.env;
  const options = { encoding: 'utf8', env: { ...own, ...env }, timeout: 240_000 } as const;
  return spawnSync(process.execPath, [program, ...args], options);
}
