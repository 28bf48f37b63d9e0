import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import { openDatabase } from '#adapters/sql/index.js';
import { run } from '../../support/app-cli.js';
import { createAuthority } from '../../support/certificates.js';
import { type PostgresServer, startPostgresServer } from '../../support/postgres-server.js';

const files = {
  ours: join(tmpdir(), `rollcall-ours-${process.pid}.pem`),
  foreign: join(tmpdir(), `rollcall-foreign-${process.pid}.pem`),
};

describe('TLS to PostgreSQL, as its URL requests', () => {
  let server: PostgresServer;
  before(
    async () => {
      const ours = await createAuthority('ours');
      const foreign = await createAuthority('foreign');
      await writeFile(files.ours, ours.cert);
      await writeFile(files.foreign, foreign.cert);
      server = await startPostgresServer({ certificate: await ours.issue({ names: ['localhost'] }) });
    },
    { timeout: 240_000 },
  );
  after(
    async () => {
      await server?.remove();
      for (const file of Object.values(files)) await rm(file, { force: true });
    },
    { timeout: 240_000 },
  );

  /** Whether the connection uses TLS, or the reason why there is none. `host` replaces `localhost`. */
  async function outcome(query: string, host = 'localhost'): Promise<boolean | string> {
    const url = `${server.url().replace('127.0.0.1', host)}${query}`;
    try {
      const database = await openDatabase(url, { timeoutMs: 5_000 });
      try {
        const row = await database.read.get<{ readonly ssl: boolean }>(
          'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
        );
        return row?.ssl === true;
      } finally {
        await database.close();
      }
    } catch (error) {
      assert.ok(error instanceof Unavailable, String(error));
      return String(error.cause instanceof Error ? error.cause.message : error.cause);
    }
  }

  const { ours, foreign } = files;
  const cases: readonly (readonly [query: string, host: string, expected: boolean | RegExp])[] = [
    ['', 'localhost', true],
    ['?sslmode=disable', 'localhost', false],
    ['?sslmode=allow', 'localhost', false],
    ['?sslmode=prefer', 'localhost', true],
    [`?sslmode=prefer&sslrootcert=${foreign}`, 'localhost', true],
    ['?sslmode=require', 'localhost', true],
    ['?sslmode=require', '127.0.0.1', true],
    [`?sslmode=require&sslrootcert=${ours}`, '127.0.0.1', true],
    [`?sslmode=require&sslrootcert=${foreign}`, 'localhost', /certificate/],
    [`?sslmode=verify-ca&sslrootcert=${ours}`, 'localhost', true],
    [`?sslmode=verify-ca&sslrootcert=${ours}`, '127.0.0.1', true],
    [`?sslmode=verify-ca&sslrootcert=${foreign}`, 'localhost', /certificate/],
    [`?sslmode=verify-full&sslrootcert=${ours}`, 'localhost', true],
    [`?sslmode=verify-full&sslrootcert=${ours}`, '127.0.0.1', /does not match/],
    [`?sslmode=verify-full&sslrootcert=${foreign}`, 'localhost', /certificate/],
    ['?sslmode=verify-full', 'localhost', /certificate/],
    [`?sslmode=verify-full&sslrootcert=${ours}.missing`, 'localhost', /ENOENT/],
  ];
  for (const [query, host, expected] of cases) {
    const shown = query.replaceAll(ours, 'ours').replaceAll(foreign, 'foreign');
    test(`${shown || 'no sslmode'} at ${host}`, { timeout: 240_000 }, async () => {
      const result = await outcome(query, host);
      if (typeof expected === 'boolean') assert.equal(result, expected);
      else assert.match(String(result), expected);
    });
  }

  test('a command names the wrong variable without the password', { timeout: 240_000 }, async () => {
    const DATABASE_URL = `${server.url()}?sslmode=verify-full&sslrootcert=${files.ours}`;
    const { code, stderr } = await run(['migrate'], {
      cwd: tmpdir(),
      env: { DATABASE_URL, SECRET_KEY: 'a secret key of more than 32 characters' },
    });
    assert.equal(code, 2);
    assert.match(
      stderr,
      /^DATABASE_URL: postgres:\/\/rollcall:\*\*\*@.* cannot be opened: .*does not match.*\n$/,
    );
    assert.ok(!stderr.includes(':rollcall@'));
  });

  test('the modes allow and prefer reach a server that accepts only TLS or none', {
    timeout: 240_000,
  }, async () => {
    for (const [type, expected] of [
      ['hostssl', true],
      ['hostnossl', false],
    ] as const) {
      const direct = await openDatabase(server.url());
      const file = await direct.read.get<{ readonly hba_file: string }>('SHOW hba_file');
      await direct.read.run(
        `COPY (SELECT 'host all all 127.0.0.2/32 scram-sha-256' UNION SELECT '${type} all all 127.0.0.1/32 scram-sha-256')
        TO '${file?.hba_file}'`,
      );
      await direct.read.run('SELECT pg_reload_conf()');
      await direct.close();
      await pause(300);
      for (const mode of ['allow', 'prefer']) assert.equal(await outcome(`?sslmode=${mode}`), expected, mode);
      const refused = expected ? 'disable' : 'require';
      assert.match(String(await outcome(`?sslmode=${refused}`)), /pg_hba/);
    }
  });
});
