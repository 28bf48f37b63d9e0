import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { aMeeting, anOrganization } from '@rollcall/core/testing';
import { build } from 'esbuild';
import { createRollcall } from '#app/index.js';
import { freePort } from '../support/app-cli.js';
import { root } from '../support/packed-core.js';
import { manifestOf, packageFolders, packPackages } from '../support/packed-packages.js';
import { startPostgresDatabase } from '../support/postgres.js';
import { storageOver } from '../support/storage.js';

// The packages are packed once, because that takes seconds.
const packed = packPackages();
after(() => packed.remove());

const SECRET_KEY = 'a secret key of more than 32 characters';

describe('The examples, with nothing but the packed packages', () => {
  test('an Express host with our database, our API and our core, in 20 lines', async () => {
    const lines = codeLines('express-host.mjs');
    assert.ok(lines.length <= 20, `${lines.length} lines`);
    await withHost('express-host.mjs', async ({ base, accessKey, organizationId }) => {
      const token = await authenticate(base, accessKey);
      const invited = await post(`${base}/partner/api/v2/organizations/${organizationId}/invite_user`, {
        token,
        body: { email: 'dana@example.test', first_name: 'Dana', last_name: 'Kim' },
      });
      assert.equal(invited.status, 200);
      const { user } = (await invited.json()) as { readonly user: { readonly invitation_url: string } };
      const { invitation_url: url } = user;
      assert.ok(url.startsWith(`${base}/partner/invitations/`), url);
      assert.equal(await (await fetch(base)).text(), 'the host');
    });
  });

  test('the whole service inside another program, which ends when the program says so', async () => {
    const code = await withHost('embedded-service.mjs', async ({ base, accessKey }) => {
      await authenticate(base, accessKey);
      const page = await fetch(`${base}/partner/sign-in`);
      assert.equal(page.status, 200);
      const [, styles = ''] = /href="([^"]+\.css)"/.exec(await page.text()) ?? [];
      assert.equal((await fetch(new URL(styles, base))).status, 200);
      assert.equal(await (await fetch(base)).text(), 'the host');
    });
    assert.equal(code, 0);
  });

  test('Fastify with the first use-case over the host’s own store: one port method of less than 40 lines', async () => {
    const source = codeLines('fastify-host.mjs');
    const from = source.findIndex((line) => line.startsWith('const meetings'));
    const length = source.slice(from).findIndex((line) => line === '};') + 1;
    assert.ok(length > 1 && length < 40, `${length} lines`);
    const port = await freePort();
    const served = await packed.serve(['fastify-host.mjs', String(port)]);
    try {
      const listed = await fetch(`http://127.0.0.1:${port}/members/dana/meetings`);
      const { meetings } = (await listed.json()) as {
        readonly meetings: readonly { readonly name: string }[];
      };
      assert.deepEqual(
        meetings.map(({ name }) => name),
        ['Choir', 'Chess'],
      );
      const unknown = await fetch(`http://127.0.0.1:${port}/members/nobody/meetings`);
      assert.deepEqual([unknown.status, await unknown.json()], [404, { code: 'member-not-found' }]);
    } finally {
      await served.stop();
    }
  });

  test('a script exports from an existing PostgreSQL database', async () => {
    const postgres = await startPostgresDatabase();
    try {
      const { load } = storageOver(postgres);
      const [startTime, endTime] = [new Date('2026-01-05T10:00:00Z'), new Date('2026-01-05T11:00:00Z')];
      const meeting = aMeeting(1, { name: 'Choir, "mixed"', startTime, endTime, status: 'complete' });
      await load({ organizations: [anOrganization(1)], meetings: [meeting] });
      const csv = packed.run(['export-script.mjs', postgres.url, '1']);
      assert.equal(csv, '\ufeff"Name","Start Time"\r\n"Choir, ""mixed""",2026-01-05T10:00:00.000Z\r\n');
    } finally {
      await postgres.stop();
    }
  });

  test('a CommonJS program uses the core', () => {
    assert.equal(packed.run(['commonjs.cjs']), 'true invalid-request\n');
  });

  test('a worker for browsers holds the rules alone', async () => {
    const code = await bundle({ entryPoints: [join(packed.folder, 'rules-worker.mjs')] });
    assert.ok(gzipSync(code).length < 1500, `${gzipSync(code).length} bytes`);
    const sent: unknown[] = [];
    const scope = { postMessage: (message: unknown) => sent.push(message) };
    runInNewContext(code, Object.assign(scope, { globalThis: scope }));
    const { onmessage } = scope as unknown as { onmessage(event: { readonly data: unknown }): void };
    const startTime = new Date('2026-11-20T12:00:00Z');
    const registered = [{ meetingId: 5, startTime, registeredAt: startTime }];
    onmessage({ data: { registered, waiting: [{ meetingId: 5, startTime, status: 'waiting' }], page: 1 } });
    // The objects are of another realm.
    assert.equal(
      JSON.stringify(sent),
      JSON.stringify([[{ meetingId: 5, startTime, registeredAt: startTime, waitingStatus: 'waiting' }]]),
    );
  });
});

describe('Bundled for a browser', () => {
  const sizes: readonly (readonly [exported: string, entry: string, maxBytes: number])[] = [
    ['createMeetings', '@rollcall/core', 30_000],
    ['listUpcomingMeetings', '@rollcall/core', 2_000],
    ['mergePlaces', '@rollcall/core/rules', 600],
    ['clampPage', '@rollcall/core/rules', 600],
    ['durationText', '@rollcall/core/rules', 600],
    ['isUpcoming', '@rollcall/core/rules', 600],
  ];
  for (const [exported, entry, maxBytes] of sizes) {
    test(`${exported} is smaller than ${maxBytes} bytes`, async (context) => {
      const contents = `export { ${exported} } from '${entry}';`;
      const code = await bundle({ stdin: { contents, resolveDir: packed.folder } });
      const { length } = gzipSync(code);
      context.diagnostic(`${exported}: ${length} bytes, compressed`);
      assert.ok(length < maxBytes, `${length} bytes`);
    });
  }
});

describe('The packages', () => {
  const manifests = packageFolders.map(manifestOf);

  test('have the version of the product, and need each other in that version', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    const versions = manifests.flatMap((manifest) => [
      manifest.version,
      ...Object.entries(manifest.dependencies ?? {})
        .filter(([name]) => manifests.some((own) => own.name === name))
        .map(([, wanted]) => wanted),
    ]);
    assert.deepEqual(new Set(versions), new Set([version]));
  });

  test('with SQLite and the core, a program installs neither Swagger nor Express nor a driver for PostgreSQL', () => {
    const needed = new Set<string>();
    const follow = (name: string): void => {
      if (needed.has(name)) return;
      needed.add(name);
      const manifest = manifests.find((own) => own.name === name);
      const file = join(root, 'node_modules', name, 'package.json');
      const { dependencies = {} } =
        manifest ?? (JSON.parse(readFileSync(file, 'utf8')) as typeof manifest & {});
      for (const dependency of Object.keys(dependencies)) follow(dependency);
    };
    follow('@rollcall/sql');
    for (const unwanted of ['swagger-ui-dist', 'express', 'pg', 'preact', 'got', '@rollcall/contracts'])
      assert.ok(!needed.has(unwanted), unwanted);
    assert.ok(needed.has('@rollcall/core') && needed.has('knex'));
  });

  for (const { name, exports } of manifests) {
    test(`publint finds no problem in ${name}`, () => {
      const tool = join(root, 'node_modules', 'publint/src/cli.js');
      assert.match(packed.run([tool, 'run', packed.tarballs[name] ?? '', '--strict']), /All good/);
    });

    for (const [module, resolution] of [
      ['node16', 'node16'],
      ['nodenext', 'nodenext'],
      ['esnext', 'bundler'],
    ] as const) {
      test(`TypeScript finds the types of ${name} with module resolution ${resolution}`, () => {
        const entries = Object.keys(exports).filter((entry) => /^\.(\/[\w-]+)?$/.test(entry));
        const source = entries.map(
          (entry, index) => `import * as entry${index} from '${name}${entry.slice(1)}'; void entry${index};`,
        );
        const file = packed.write(`${resolution}-${name.replace('@rollcall/', '')}.mts`, source.join('\n'));
        const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'true'];
        const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
        packed.run([
          join(root, 'node_modules/typescript/bin/tsc'),
          ...options,
          ...types,
          ...['--target', 'ES2023', '--lib', 'ES2023'],
          ...['--module', module, '--moduleResolution', resolution, file],
        ]);
      });
    }
  }
});

interface Host {
  readonly base: string;
  readonly organizationId: number;
  readonly accessKey: string;
}

/** Runs the example on a database with one organization. Returns its exit code. */
async function withHost(example: string, use: (host: Host) => Promise<void>): Promise<number | null> {
  const file = join(packed.folder, `${example}.db`);
  const databaseUrl = `sqlite:${file}`;
  const rollcall = await createRollcall({
    databaseUrl,
    publicUrl: 'http://127.0.0.1',
    secretKey: SECRET_KEY,
  });
  const { id } = await rollcall.core.createOrganization({ name: 'Northwind', eap: false });
  const { accessKey } = await rollcall.core.generateAccessKey({ organizationId: id });
  await rollcall.stop();

  const port = await freePort();
  const served = await packed.serve([example, databaseUrl, String(port)], { SECRET_KEY });
  try {
    await use({ base: `http://127.0.0.1:${port}`, organizationId: id, accessKey: accessKey.reveal() });
  } catch (error) {
    await served.stop();
    throw error;
  }
  return served.stop();
}

async function authenticate(base: string, accessKey: string): Promise<string> {
  const answer = await post(`${base}/partner/api/v2/authenticate`, { body: { access_key: accessKey } });
  assert.equal(answer.status, 200);
  return ((await answer.json()) as { readonly token: string }).token;
}

function post(url: string, { body, token }: { readonly body: unknown; readonly token?: string }) {
  return fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
}

async function bundle(options: Parameters<typeof build>[0]): Promise<string> {
  const { outputFiles = [] } = await build({
    ...options,
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
  });
  return outputFiles[0]?.text ?? '';
}

/** The lines of an example without comments and empty lines. */
function codeLines(example: string): readonly string[] {
  const text = readFileSync(join(root, 'test', 'examples', example), 'utf8');
  return text.split('\n').filter((line) => !/^\s*(\/\/|\/\*|$)/.test(line));
}
