import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { migrationNames } from '#adapters/sql/migrations/index.js';
import { authenticate } from '../support/api.js';
import { freePort, linesOf, run } from '../support/app-cli.js';
import { folderForAll } from '../support/folders.js';
import { startPostgresUrl } from '../support/postgres.js';
import { accessKey, dataset, startServing } from '../support/postgres-instances.js';

const SECRET_KEY = 'a secret key of more than 32 characters';

const cwd = folderForAll();
let empty: Awaited<ReturnType<typeof startPostgresUrl>>;
let env: Readonly<Record<string, string>>;
beforeEach(async () => {
  empty = await startPostgresUrl({ migrated: false });
  env = { DATABASE_URL: empty.url, SECRET_KEY };
});
afterEach(async () => {
  await empty.stop();
});

describe('The commands over PostgreSQL', () => {
  test('migrate once although three start together, import, create, list and prune', async () => {
    const all = await Promise.all([1, 2, 3].map(() => run(['migrate', '--json'], { cwd, env })));
    assert.deepEqual(
      all.map(({ code, stderr }) => [code, stderr]),
      all.map(() => [0, '']),
    );
    const shown = all.map(({ stdout }) => JSON.parse(stdout));
    assert.deepEqual(
      shown.flatMap(({ applied }) => applied),
      [...migrationNames],
    );
    for (const { database } of shown) assert.match(database, /^postgres:\/\/rollcall:\*\*\*@/);

    for (const _again of [1, 2]) {
      const { code, stdout, stderr } = await run(['import', '-', '--json'], { cwd, env, input: dataset });
      assert.equal(code, 0, stderr);
      assert.deepEqual(JSON.parse(stdout).user, { stored: 1, removed: 0 });
    }
    const created = await run(['organization', 'create', '--name', 'Contoso', '--json'], { cwd, env });
    assert.equal(created.code, 0, created.stderr);
    const listed = await run(['organization', 'list', '--json'], { cwd, env });
    const ids = JSON.parse(listed.stdout).organizations?.map(({ id }: { readonly id: number }) => id);
    assert.deepEqual(ids ?? JSON.parse(listed.stdout), [7, 1_000_000_000_001]);
    const pruned = await run(['prune', '--json'], { cwd, env });
    assert.equal(pruned.code, 0, pruned.stderr);
  });

  test('refuse another secret key, and report an unreachable server without its password', async () => {
    assert.equal((await run(['organization', 'list'], { cwd, env })).code, 0);
    const other = { ...env, SECRET_KEY: `another ${SECRET_KEY}` };
    const refused = await run(['organization', 'list'], { cwd, env: other });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /^SECRET_KEY: this database was used with another key/);

    const nowhere = { ...env, DATABASE_URL: `postgres://me:hidden@localhost:${await freePort()}/rollcall` };
    for (const command of ['serve', 'migrate']) {
      const { code, stderr } = await run([command], { cwd, env: nowhere });
      assert.deepEqual([code, linesOf(stderr).length], [75, 1], stderr);
      assert.match(
        stderr,
        /^DATABASE_URL: postgres:\/\/me:\*\*\*@localhost:\d+\/rollcall cannot be opened: .*ECONNREFUSED/,
      );
    }
  });
});

describe('A server with an unavailable replica', () => {
  test('logs that once, reads exports from the primary, and never shows the password', async () => {
    await run(['import', '-'], { cwd, env, input: dataset });
    const port = await freePort();
    env = { ...env, READ_DATABASE_URL: `postgres://me:hidden@127.0.0.1:${port}/rollcall` };
    const { server, url } = await startServing({ cwd, env });
    try {
      const answer = await authenticate(url, accessKey);
      const { token } = (await answer.json()) as { readonly token: string };
      const exporting = `${url}/api/v2/organizations/7/export_meetings?column[]=name`;
      for (const _again of [1, 2, 3]) {
        const exported = await fetch(exporting, { headers: { Authorization: `Bearer ${token}` } });
        assert.equal(exported.status, 200);
        assert.deepEqual(((await exported.json()) as { readonly meetings: unknown }).meetings, []);
      }
      await server.stop('SIGTERM');
    } finally {
      await server.discard();
    }
    const output = server.stdout() + server.stderr();
    const logged = linesOf(output).filter((line) => /read from the primary/.test(line));
    assert.equal(logged.length, 1, output);
    assert.match(logged[0] ?? '', /"state":"away".*ECONNREFUSED/);
    assert.match(logged[0] ?? '', /me:\*\*\*@127/);
    assert.ok(!output.includes('hidden'));
  });
});
