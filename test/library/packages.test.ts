import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { Refusal } from '@rollcall/core';
import { build } from 'esbuild';
import { errorAnswer } from '#adapters/express/errors.js';
import { pack } from '../support/cloned-packages.js';
import { exampleChecks, withHost } from '../support/example-checks.js';
import {
  entriesOf,
  installPackages,
  type Manifest,
  manifestOf,
  packageFolders,
} from '../support/packed-packages.js';
import { root } from '../support/packing.js';
import { coreAloneSuite } from './core-alone.js';

const core = '@rollcall/core';
const folder = mkdtempSync(join(tmpdir(), 'rollcall-packed-'));
// As they are built here. The soak program `packages` builds them as another user would, and compares them with these.
const built = pack(root, {
  command: 'npm pack --ignore-scripts',
  into: folder,
  workspaces: packageFolders,
});
const tarballs = Object.fromEntries(built.map(({ name, tarball }) => [name, tarball]));
const packed = installPackages(tarballs);
// What the programs of the tests use beside the packages.
for (const name of ['express', 'fastify', '@types/node']) packed.link(name);
cpSync(join(root, 'test', 'examples'), packed.folder, { recursive: true });
const coreAlone = installPackages({ [core]: tarballs[core] ?? '' });
after(() => {
  packed.remove();
  coreAlone.remove();
  rmSync(folder, { recursive: true, force: true });
});

coreAloneSuite(coreAlone);

describe('The examples, with nothing but the packed packages', () => {
  for (const { name, check } of exampleChecks) test(name, () => check(packed));

  test('an Express host with our database, our API and our core takes at most 20 lines', () => {
    const lines = codeLines('express-host.mjs');
    assert.ok(lines.length <= 20, `${lines.length} lines`);
  });

  test('the first use-case needs less than 40 lines of the host’s own store', () => {
    const source = codeLines('fastify-host.mjs');
    const from = source.findIndex((line) => line.startsWith('const meetings'));
    const length = source.slice(from).indexOf('};') + 1;
    assert.ok(length > 1 && length < 40, `${length} lines`);
  });

  test('a CommonJS program that requires an entry gets what a module imports', () => {
    const entries = packageFolders.map(manifestOf).flatMap(namedEntries);
    const script = `(async () => {
      for (const entry of ${JSON.stringify(entries)}) console.log(require(entry) === (await import(entry)));
    })();`;
    assert.equal(packed.run([packed.write('required.cjs', script)]), 'true\n'.repeat(entries.length));
  });

  test('without Sentry’s package, the log says why reports are in the log alone', () => {
    const program = packed.write(
      'without-sentry.mjs',
      `import { register } from 'node:module';
      register('data:text/javascript,' + encodeURIComponent(\`export async function resolve(name, context, next) {
        if (name.startsWith('@sentry/')) throw new Error('not installed');
        return next(name, context);
      }\`));
      const { sentryErrorTracker } = await import('@rollcall/node/sentry');
      const log = { info() {}, error() {}, warn: (facts, text) => console.log(text, facts) };
      const tracker = sentryErrorTracker({ dsn: 'https://key@127.0.0.1/1', release: 'r', log });
      tracker.report(new Error('no'), { severity: 'error', operation: 'o', requestId: null });
      await tracker.flush(1000);`,
    );
    const lines = packed.run([program]).trim().split('\n');
    assert.deepEqual(lines, [
      "Reports do not reach the error tracker, and are only in this log { reason: 'the package @sentry/core is not installed' }",
      'Reports never reached the error tracker { lost: 1 }',
    ]);
  });

  test('refusals of another copy of the core have the same answers', async () => {
    const file = join(packed.folder, 'node_modules', core, 'dist', 'bundle', 'index.js');
    const { Refusal: OtherRefusal } = (await import(pathToFileURL(file).href)) as { Refusal: typeof Refusal };
    const refusal = new OtherRefusal('invalid-access-key', 'no');
    assert.ok(!Object.is(OtherRefusal, Refusal));
    assert.equal(errorAnswer(refusal).status, 401);
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
      JSON.stringify([
        [{ meetingId: 5, startTime, registeredAt: startTime, waitingStatus: 'waiting', offeredUntil: null }],
      ]),
    );
  });
});

describe('verifyWebhook', () => {
  test('works in a worker, with nothing but Web Crypto', async () => {
    const contents = `import { verifyWebhook } from '@rollcall/contracts/webhooks';
      globalThis.verified = verifyWebhook(globalThis.request);`;
    const code = await bundle({ stdin: { contents, resolveDir: packed.folder } });
    assert.ok(gzipSync(code).length < 2500, `${gzipSync(code).length} bytes`);
    const request = {
      body: '{"name":"Zoë 🙂"}',
      secret: 'whsec_schlüssel',
      headers: new Headers({
        'X-Rollcall-Signature': 'sha256=871deb9f013e194561ee6de1a5059cd05a7373646d54a4148443daa723e90ca1',
      }),
      serviceName: 'Rollcall',
    };
    const worker = { crypto, TextEncoder, TextDecoder, atob, request };
    const scope = Object.assign(worker, { globalThis: worker });
    runInNewContext(code, scope);
    // The object is of another realm.
    const verified = await (scope as { verified?: unknown }).verified;
    assert.equal(JSON.stringify(verified), request.body);
  });

  test('has types that need neither those of Node nor those of a browser', () => {
    const source = `import { verifyWebhook } from '@rollcall/contracts/webhooks';
      export const verify = (body: Uint8Array, headers: Record<string, string>) =>
        verifyWebhook({ body, headers, secret: ['one', 'two'], serviceName: 'Rollcall' });
      export const email = async (body: string) =>
        (await verify(new Uint8Array(), {})).user.email.concat(body);
      // @ts-expect-error a parsed body is not its bytes
      verify({ event: 'user.registered' }, {});`;
    const file = packed.write('verify-webhook.mts', source);
    packed.run([
      join(root, 'node_modules/typescript/bin/tsc'),
      ...['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--types', ''],
      ...['--target', 'ES2023', '--lib', 'ES2023', '--module', 'nodenext', file],
    ]);
  });
});

describe('npm pack', () => {
  for (const source of packageFolders) {
    const { name, exports, scripts } = manifestOf(source);

    test(`packs what ${name} exports`, () => {
      const files = built.find((one) => one.name === name)?.files.map(({ path }) => `./${path}`);
      const exported = JSON.stringify(exports).match(/\.\/[^"*]+\.(?:js|d\.ts)(?=")/g) ?? [];
      assert.ok(exported.length > 0, name);
      const beside = exported.filter((file) => !/\/(?:bundle|modules)\//.test(file));
      const declared = beside.map((file) => file.replace(/\.js$/, '.d.ts'));
      assert.deepEqual(
        [...exported, ...declared].filter((file) => !files?.includes(file)),
        [],
        name,
      );
    });

    test(`builds ${name} first, and makes it readable, as the core`, () => {
      const steps =
        /^(?:node write-json\.mjs && )?node [./]+node_modules\/typescript\/bin\/tsc -b && .*commonjs\.mjs \. (?:&& node bundle\.mjs )?&& chmod -R u=rwX,go=rX \./;
      assert.match(scripts?.prepack ?? '', steps);
    });
  }

  test('makes the same package of the same files at another time', () => {
    // This one has an executable.
    const copy = mkdtempSync(join(tmpdir(), 'rollcall-packed-'));
    try {
      cpSync(join(packed.folder, 'node_modules', 'rollcall'), copy, { recursive: true });
      const [again] = pack(copy, { command: 'npm pack --ignore-scripts', into: copy });
      const { integrity } = built.find(({ name }) => name === 'rollcall') ?? {};
      assert.equal(again?.integrity, integrity);
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });
});

describe('The client', () => {
  test('is bundled for a worker', async () => {
    const contents = `export { createClient } from '@rollcall/contracts/client';`;
    const code = await bundle({ stdin: { contents, resolveDir: packed.folder } });
    assert.ok(gzipSync(code).length < 6000, `${gzipSync(code).length} bytes`);
  });

  test('has types that know every path, parameter and answer', () => {
    const source = `import { type ApiError, createClient } from '@rollcall/contracts/client';
      const client = createClient({ baseUrl: '', accessKey: '' });
      const one = { params: { path: { organization_id: '1' } } };
      const path = '/organizations/{organization_id}/webhook';
      export const code = (error: ApiError): string | null => error.code;
      export async function use(): Promise<string | undefined> {
        // @ts-expect-error the path needs the organization
        await client.get(path);
        // @ts-expect-error there is no such path
        await client.get('/organizations');
        // @ts-expect-error this is not a list
        client.items(path, one);
        for await (const user of client.items('/organizations/{id}/users', { params: { path: { id: '1' } } }))
          // @ts-expect-error there is no such field
          console.log(user.email, user.nothing);
        const upcoming = '/organizations/{organization_id}/members/{id}/upcoming_meetings';
        for await (const meeting of client.items(upcoming, { params: { path: { organization_id: 1, id: 'idp-0' } } }))
          // @ts-expect-error there is no such field
          console.log(meeting.start_time, meeting.nothing);
        // @ts-expect-error the path needs the member, too
        client.items(upcoming, { params: { path: { organization_id: 1 } } });
        for await (const meeting of client.items('/organizations/{id}/export_meetings', { params: { path: { id: 1 } } }))
          console.log(meeting.start_time);
        const { response } = await client.raw.GET(path, one);
        console.log(response.headers.get('X-Warning'));
        const { webhook } = await client.get(path, one);
        return webhook?.url;
      }`;
    const file = packed.write('client.mts', source);
    packed.run([
      join(root, 'node_modules/typescript/bin/tsc'),
      ...['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', '--types', ''],
      ...['--target', 'ES2023', '--lib', 'ES2023,DOM', '--module', 'nodenext', file],
    ]);
  });
});

describe('Bundled for a browser', () => {
  const sizes: readonly (readonly [exported: string, entry: string, maxBytes: number])[] = [
    ['createMeetings', '@rollcall/core', 30_500],
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
    const all = [...manifests, manifestOf('adapters/sql/node20')];
    const versions = all.flatMap((manifest) => [
      manifest.version,
      ...Object.entries({
        ...manifest.dependencies,
        ...manifest.optionalDependencies,
        ...manifest.peerDependencies,
      })
        .filter(([name]) => all.some((own) => own.name === name))
        .map(([, wanted]) => wanted.replace('^', '')),
    ]);
    assert.deepEqual(new Set(versions), new Set([version]));
  });

  test('the core is a peer of every adapter, so that a host and its adapters share one', () => {
    for (const source of ['adapters/sql', 'adapters/node', 'adapters/express']) {
      const { name, version, dependencies = {}, peerDependencies = {} } = manifestOf(source);
      const wanted = [dependencies['@rollcall/core'], peerDependencies['@rollcall/core']];
      assert.deepEqual(wanted, [undefined, `^${version}`], name);
    }
  });

  test('with SQLite and the core, a program installs neither Express nor a driver for PostgreSQL', () => {
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
    for (const name of ['@rollcall/sql', '@rollcall/core']) follow(name);
    for (const unwanted of ['express', 'pg', 'preact', 'got', '@rollcall/contracts'])
      assert.ok(!needed.has(unwanted), unwanted);
    assert.ok(needed.has('knex'));
  });

  for (const [source, example] of [
    ['contracts', 'webhook-receiver.mjs'],
    ['contracts', 'partner.mjs'],
    ['adapters/sql', 'export-script.mjs'],
    ['adapters/express', 'express-host.mjs'],
    ['app', 'embedded-service.mjs'],
  ] as const) {
    test(`the readme of ${source} shows an example that runs`, () => {
      const readme = readFileSync(join(root, source, 'README.md'), 'utf8');
      const code = readFileSync(join(root, 'test', 'examples', example), 'utf8');
      assert.ok(readme.includes(`\`\`\`js\n${code}\`\`\`\n`));
    });
  }

  test('without a driver for SQLite, the error says what this version of Node can install', () => {
    const driverless = installPackages(
      Object.fromEntries([core, '@rollcall/sql'].map((name) => [name, tarballs[name] ?? ''])),
    );
    try {
      for (const name of readdirSync(join(driverless.folder, 'node_modules')))
        if (name.startsWith('better-sqlite3')) unlinkSync(join(driverless.folder, 'node_modules', name));
      const script = `import { openDatabase } from '@rollcall/sql';
        await openDatabase('sqlite:trial.db').catch(({ name, message }) => process.stdout.write(name + ' ' + message));`;
      const printed = driverless.run(['--input-type=module', '-e', script]);
      const wanted = Number.parseInt(process.versions.node, 10) < 22 ? '12.9.0' : '13';
      assert.match(printed, new RegExp(`^SqliteDriverMissing .*npm install better-sqlite3@${wanted}`));
    } finally {
      driverless.remove();
    }
  });

  test('the shorter programs in the readmes compile', () => {
    const files = Object.entries(fragmentBeginnings).flatMap(([readme, beginning]) =>
      fragmentsOf(readme).map((code, index) =>
        packed.write(`fragment-${readme.replaceAll('/', '-')}-${index}.mts`, `${beginning}\n${code}`),
      ),
    );
    assert.equal(files.length, 6);
    packed.run([
      join(root, 'node_modules/typescript/bin/tsc'),
      ...['--noEmit', '--strict', '--skipLibCheck', '--types', 'node', '--lib', 'ES2023,DOM'],
      ...['--typeRoots', join(root, 'node_modules/@types'), '--target', 'ES2023', '--module', 'nodenext'],
      ...files,
    ]);
  });

  test('the program of the main readme serves pages in a host', async () => {
    const program = fragmentsOf('README.md').find((code) => code.includes('createRollcall')) ?? '';
    const start = `import express from 'express'; import { createRollcall } from 'rollcall';
      const [, , databaseUrl, port] = process.argv; const secretKey = process.env.SECRET_KEY;
      const host = express();`;
    packed.write('main-readme.mjs', `${start}\n${program}\nhost.listen(Number(port), '127.0.0.1');`);
    await withHost(packed, 'main-readme.mjs', async ({ base }) => {
      assert.equal((await fetch(`${base}/partner/sign-in`)).status, 200);
    });
  });

  for (const manifest of manifests) {
    const { name } = manifest;
    test(`${name} brings its license and a readme`, () => {
      const installed = join(packed.folder, 'node_modules', name);
      assert.equal(
        readFileSync(join(installed, 'LICENSE'), 'utf8'),
        readFileSync(join(root, 'LICENSE'), 'utf8'),
      );
      assert.match(readFileSync(join(installed, 'README.md'), 'utf8'), new RegExp(`^# ${name}\n`));
    });

    // The guide is shown below /docs.
    test(`the links in the texts of ${name} lead to headings and files of the package, to the docs, or to the web`, () => {
      const installed = join(packed.folder, 'node_modules', name);
      const texts = readdirSync(installed, { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.md$/.test(file) && !/(^|\/)node_modules\//.test(file))
        .map((file) => ({ file, text: readFileSync(join(installed, file), 'utf8') }));
      const dead = texts.flatMap(({ file, text }) =>
        [...text.matchAll(/\]\(([^)\s]+)\)|(?:href|src)="([^"]+)"/g)]
          .map(([, link = '', reference = '']) => link || reference)
          .filter((link) => !/^(?:https:\/\/|\/docs[#/])/.test(link) && !leadsTo(link, join(installed, file)))
          .map((link) => `${file}: ${link}`),
      );
      assert.deepEqual(dead, []);
    });
  }

  test('TypeScript finds the types of every entry in modules and in CommonJS', () => {
    const source = [
      ...manifests
        .flatMap(namedEntries)
        .map((entry, index) => `import * as entry${index} from '${entry}'; void entry${index};`),
      typedProgram,
    ].join('\n');
    packed.run([
      join(root, 'node_modules/typescript/bin/tsc'),
      // All declarations are checked where TypeScript is strictest.
      ...['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--module', 'node16'],
      ...['--types', 'node', '--target', 'ES2023', '--lib', 'ES2023'],
      ...['mts', 'cts'].map((ending) => packed.write(`entries.${ending}`, source)),
    ]);
  });
});

/** The entries as a program names them. */
function namedEntries(manifest: Manifest): readonly string[] {
  return entriesOf(manifest).map((entry) => `${manifest.name}${entry.slice(1)}`);
}

/** Compiles only if the types of each package are known, and not `any`. */
const typedProgram = `
  import { createCore } from '@rollcall/core';
  import { createClient } from '@rollcall/contracts/client';
  import { createApp } from '@rollcall/express';
  import { keyedSecrets } from '@rollcall/node';
  import { createRollcall } from 'rollcall';
  import { openDatabase } from '@rollcall/sql';
  // @ts-expect-error
  void createCore(1, 2);
  // @ts-expect-error
  void createClient(1);
  // @ts-expect-error
  void createApp(1);
  // @ts-expect-error
  void keyedSecrets(1);
  // @ts-expect-error
  void createRollcall(1);
  // @ts-expect-error
  void openDatabase(1);`;

/** What the programs of a readme that are not whole begin with. */
const fragmentBeginnings = {
  'README.md': `import express from 'express'; import { createRollcall } from 'rollcall';
    declare const body: string, headers: Headers, databaseUrl: string, secretKey: string;
    const host = express(); void host; void createRollcall;`,
  'contracts/README.md': `import { createClient } from '@rollcall/contracts/client';
    import { createOperatorClient } from '@rollcall/contracts/operator';
    declare const id: string, token: string, records: string;
    const rollcall = createClient({ baseUrl: '', accessKey: '' }); void rollcall; void createOperatorClient;`,
  'app/embedding.md': `import express from 'express'; import { createRollcall } from 'rollcall';
    declare const databaseUrl: string, secretKey: string;
    declare function sendMail(mail: object): Promise<{ readonly outcome: 'sent' }>;
    const host = express(); void host; void createRollcall;`,
} as const;

/** The programs in a readme that are not examples. */
function fragmentsOf(readme: string): readonly string[] {
  const examples = readdirSync(join(root, 'test', 'examples')).map((name) =>
    readFileSync(join(root, 'test', 'examples', name), 'utf8'),
  );
  return [...readFileSync(join(root, readme), 'utf8').matchAll(/^```js\n([\s\S]*?)^```$/gm)]
    .map(([, code = '']) => code)
    .filter((code) => !examples.includes(code));
}

/** Whether a file that is packed has the file, and the heading, to which its relative link leads. */
function leadsTo(link: string, from: string): boolean {
  const [path = '', heading] = link.split('#');
  const file = path === '' ? from : join(dirname(from), path);
  if (!existsSync(file)) return false;
  return heading === undefined || headingsOf(readFileSync(file, 'utf8')).includes(heading);
}

/** The anchors of the headings of a text, which may name theirs: `## Emails {#mails}`. */
function headingsOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .replace(/^.+ \{#([\w-]+)\}$/, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
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
