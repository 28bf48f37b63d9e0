import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { migrationNames } from '#adapters/sql/migrations/index.js';
import { freePort, linesOf, run } from '../support/app-cli.js';
import { startPostgresUrl } from '../support/postgres.js';
import { prepareServedApp, type ServedApp } from '../support/served-app.js';

let served: ServedApp;
let empty: Awaited<ReturnType<typeof startPostgresUrl>>;
let env: Readonly<Record<string, string>>;
beforeEach(async () => {
  served = await prepareServedApp();
  empty = await startPostgresUrl({ migrated: false });
  env = { DATABASE_URL: empty.url, SECRET_KEY: 'a secret key of more than 32 characters' };
});
afterEach(async () => {
  await served.stop();
  await empty.stop();
});

describe('The commands over PostgreSQL', () => {
  test('migrate once although three start together, import, create, list and prune', async () => {
    const { cwd } = served;
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

    for (const _again of [1, 2]) await served.importPeople(env);
    const created = await run(['organization', 'create', '--name', 'Contoso', '--json'], { cwd, env });
    assert.equal(created.code, 0, created.stderr);
    const listed = await run(['organization', 'list', '--json'], { cwd, env });
    const ids = JSON.parse(listed.stdout).organizations?.map(({ id }: { readonly id: number }) => id);
    assert.deepEqual(ids ?? JSON.parse(listed.stdout), [1, 1_000_000_000_001]);
    const pruned = await run(['prune', '--json'], { cwd, env });
    assert.equal(pruned.code, 0, pruned.stderr);
  });
});

describe('A server with an unavailable replica', () => {
  test('logs that once, reads exports from the primary, and never shows the password', async () => {
    await served.importPeople(env);
    const replica = `postgres://me:hidden@127.0.0.1:${await freePort()}/rollcall`;
    const server = await served.serve([], { ...env, READ_DATABASE_URL: replica });
    const headers = { Authorization: `Bearer ${await served.token()}` };
    const path = '/api/v2/organizations/1/export_meetings?column[]=name';
    for (const _again of [1, 2, 3]) {
      const exported = await fetch(`http://localhost:${served.port}${path}`, { headers });
      assert.equal(exported.status, 200);
      assert.deepEqual(((await exported.json()) as { readonly meetings: unknown }).meetings, []);
    }
    await server.stop('SIGTERM');
    const output = server.stdout() + server.stderr();
    const logged = linesOf(output).filter((line) => /read from the primary/.test(line));
    assert.equal(logged.length, 1, output);
    assert.match(logged[0] ?? '', /"state":"away".*ECONNREFUSED/);
    assert.match(logged[0] ?? '', /me:\*\*\*@127/);
    assert.ok(!output.includes('hidden'));
  });
});
