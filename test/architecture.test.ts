import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { settingNames } from '#app/config/settings.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Zone {
  readonly name: string;
  /** The files of the zone, by their path in the repository. */
  readonly files: RegExp;
  /** What they may import, by path in the repository or package name. */
  readonly mayImport: readonly RegExp[];
  /** What their text must not contain. */
  readonly mustNotContain?: readonly RegExp[];
}

const clockAndChance = [
  /\bDate\.now\(/,
  /new Date\(\)/,
  /\bMath\.random\b/,
  /\bTemporal\.Now\b/,
  /\bcrypto\b/,
  /\bsetTimeout\b/,
];
const environment = [/\bprocess\.env\b/];
/** The package has another name with Node 20, so `sqliteDriver` must load it. */
const sqliteByName = [/^import (?!type\b).*from 'better-sqlite3'/m];
/** The folders of `adapters` that do not import each other, and the files that each of them may import. */
const adapterFiles = {
  sql: { files: /^adapters\/sql\//, mayImport: /^adapters\/sql\// },
  express: {
    files: /^adapters\/express\/(?!pages\/|index\.ts)/,
    mayImport: /^adapters\/express\/(?!pages\/)/,
  },
  pages: {
    files: /^adapters\/express\/pages\//,
    mayImport: /^adapters\/express\/(pages\/|raw-query\.|stream\.|directory\/write-answers\.)/,
  },
  crypto: { files: /^adapters\/node\/crypto\//, mayImport: /^adapters\/node\/crypto\// },
  deliveries: {
    files: /^adapters\/node\/deliveries\//,
    mayImport: /^adapters\/node\/(deliveries\/|logger\.)/,
  },
  mail: { files: /^adapters\/node\/mail\//, mayImport: /^adapters\/node\/(mail\/|error-meanings\.)/ },
  system: {
    files: /^adapters\/node\/(system\/|logger\.|error-meanings\.)/,
    mayImport: /^adapters\/node\/(system\/|logger\.)/,
  },
  webhook: {
    files: /^adapters\/node\/webhook\//,
    mayImport: /^adapters\/node\/(webhook\/|error-meanings\.)/,
  },
  secondFactor: {
    files: /^adapters\/node\/second-factor\//,
    mayImport: /^adapters\/node\/second-factor\//,
  },
  signOn: {
    files: /^adapters\/node\/sign-on\//,
    mayImport: /^adapters\/node\/(sign-on\/|webhook\/guarded-fetch\.)/,
  },
} as const;
const adapterFolders = Object.keys(adapterFiles) as readonly (keyof typeof adapterFiles)[];

/** Where spans begin; without an SDK it does nothing. The core has no spans. */
const tracing = /^@opentelemetry\/api$/;

/** The packages of each technology's folder. No other folder may import them. */
const adapterPackages: Record<keyof typeof adapterFiles, readonly RegExp[]> = {
  crypto: [/^@node-rs\/argon2$/, /^@zxcvbn-ts\/language-common$/, /^p-limit$/],
  deliveries: [tracing],
  mail: [/^nodemailer$/],
  pages: [
    /^cookie$/,
    /^express$/,
    /^helmet$/,
    /^marked$/,
    /^preact(\/|$)/,
    /^preact-render-to-string$/,
    /^uqr$/,
  ],
  express: [
    /^express$/,
    /^helmet$/,
    /^ajv(\/|$)/,
    /^ajv-formats$/,
    /^busboy$/,
    /^negotiator$/,
    /^@rollcall\/contracts$/,
    tracing,
  ],
  sql: [tracing, /^knex(\/|$)/, /^better-sqlite3$/, /^p-limit$/, /^pg$/],
  system: [
    /^@sentry\/core(\/|$)/,
    /^p-limit$/,
    /^pino$/,
    /^pino-pretty$/,
    /^prom-client$/,
    /^rate-limiter-flexible$/,
  ],
  webhook: [tracing, /^got$/],
  secondFactor: [/^@simplewebauthn\/server$/],
  signOn: [/^jose$/, /^openid-client$/],
};

const zones: readonly Zone[] = [
  {
    name: 'the core',
    files: /^core\/(?!testing\/)/,
    mayImport: [/^core\/(?!testing\/)/, /^temporal-polyfill$/],
    mustNotContain: clockAndChance,
  },
  {
    name: 'the core’s testing kit',
    files: /^core\/testing\//,
    mayImport: [/^core\//],
    mustNotContain: clockAndChance,
  },
  {
    name: 'what partners run anywhere',
    files: /^contracts\/(client|operator|webhooks)\.ts$/,
    mayImport: [/^contracts\/generated\//, /^openapi-fetch$/],
    mustNotContain: [/\bprocess\b/, /\bBuffer\b/],
  },
  {
    name: 'the contracts',
    files: /^contracts\//,
    mayImport: [/^contracts\//, /^node:/, /^yaml$/],
    mustNotContain: environment,
  },
  ...adapterFolders.map((folder) => ({
    name: `adapters/${folder}`,
    files: adapterFiles[folder].files,
    mayImport: [
      adapterFiles[folder].mayImport,
      /^@rollcall\/core(\/(rules|adapters))?$/,
      /^node:/,
      ...adapterPackages[folder],
    ],
    mustNotContain: [...environment, ...sqliteByName],
  })),
  {
    name: 'the entries of @rollcall/express',
    files: /^adapters\/express\/index\.ts$/,
    mayImport: [/^adapters\/express\//, /^express$/],
  },
  {
    name: 'the entries of @rollcall/node',
    files: /^adapters\/node\/(index|log|metrics|node-ports|preload|sentry)\.ts$/,
    mayImport: [/^adapters\/node\//, /^@rollcall\/core$/],
  },
  {
    name: 'the app',
    files: /^app\//,
    mayImport: [
      /^app\//,
      /^@rollcall\/(core(\/(rules|adapters))?|contracts(\/webhooks)?|sql(\/maintenance)?|node(\/\w+)?|express(\/links)?)$/,
      /^node:/,
      /^(inversify|reflect-metadata|commander|cli-progress|ajv|ajv-formats|selfsigned)(\/|$)/,
    ],
  },
];

/** The files that may read environment variables. */
const environmentReaders = /^app\/config\.ts$/;
/** The files that may import inversify. */
const containers = /^app\/(assembly\/|(command-context|create-rollcall|start-service)\.ts$)/;

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The packages that are published. */
const workspaces = ['core', 'contracts', 'adapters/sql', 'adapters/node', 'adapters/express', 'app'] as const;

/** Packages that no import statement names: they are read as files, loaded on demand, or needed by another package. */
const loadedByName: Readonly<Partial<Record<(typeof workspaces)[number], readonly string[]>>> = {
  'adapters/sql': ['@types/better-sqlite3', 'pg'],
  'adapters/node': ['pino-pretty', 'prom-client', 'rate-limiter-flexible'],
  'adapters/express': ['@types/express', 'ajv-formats'],
  app: [
    '@rollcall/sqlite-node20',
    '@sentry/core',
    'better-sqlite3',
    'pg',
    'pino',
    'pino-pretty',
    'prom-client',
  ],
};

/** The command line, which is published as a bundle. What it alone needs is not installed with it. */
const commandLine = /^app\/(cli\/|demo\/|program\/|(command-line|program|run-program)\.ts$)/;

interface Manifest {
  readonly name: string;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
}

function dependenciesOf(folder: string): readonly string[] {
  const { dependencies, optionalDependencies, peerDependencies } = manifestOf(folder);
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).sort();
}

/** The name of an imported package. Null for a file and for what Node brings. */
function packageOf(specifier: string): string | null {
  if (/^(\.|#|node:)/.test(specifier)) return null;
  return /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? null;
}

describe('The borders between the parts', () => {
  const files = sourceFiles();

  test('every source file belongs to a zone', () => {
    const withoutZone = files.filter(({ path }) => !path.startsWith('test/') && zoneOf(path) === undefined);
    assert.deepEqual(
      withoutZone.map(({ path }) => path),
      [],
    );
  });

  test('each zone imports and contains only what is allowed', () => {
    assert.deepEqual(files.flatMap(violations), []);
  });

  test('planted violations are caught', () => {
    const planted: readonly SourceFile[] = [
      { path: 'core/users/planted.ts', text: "import { readFileSync } from 'node:fs';" },
      { path: 'core/users/planted.ts', text: "import knex from 'knex';" },
      { path: 'core/users/planted.ts', text: "import { openDatabase } from '../../adapters/sql/index.js';" },
      {
        path: 'core/users/planted.ts',
        text: "import { memoryStorage } from '../testing/memory/memory-storage.js';",
      },
      { path: 'core/users/planted.ts', text: "export const load = () => import('express');" },
      { path: 'core/users/planted.ts', text: "export { Router } from 'express';" },
      { path: 'core/users/planted.ts', text: 'const now = Date.now();' },
      { path: 'core/users/planted.ts', text: 'const now = new Date();' },
      { path: 'core/users/planted.ts', text: 'const chance = Math.random();' },
      { path: 'core/testing/planted.ts', text: "import assert from 'node:assert';" },
      { path: 'adapters/express/planted.ts', text: "import { sqlPorts } from '../sql/index.js';" },
      { path: 'adapters/express/planted.ts', text: "import { sqlPorts } from '#adapters/sql/index.js';" },
      { path: 'adapters/express/planted.ts', text: "import { knex } from 'knex';" },
      { path: 'adapters/express/planted.ts', text: "import { loadConfig } from '../../app/config.js';" },
      { path: 'adapters/sql/planted.ts', text: "import type { Request } from 'express';" },
      { path: 'adapters/sql/planted.ts', text: 'const url = process.env.DATABASE_URL;' },
      { path: 'app/planted.ts', text: 'const url = process.env.DATABASE_URL;' },
      { path: 'app/planted.ts', text: "import { Container } from 'inversify';" },
      { path: 'app/planted.ts', text: "import express from 'express';" },
      { path: 'contracts/planted.ts', text: "import { createCore } from '@rollcall/core';" },
      { path: 'contracts/webhooks.ts', text: "import { createHmac } from 'node:crypto';" },
      { path: 'contracts/webhooks.ts', text: 'const bytes = Buffer.from(body);' },
    ];
    const uncaught = planted.filter((file) => violations(file).length === 0);
    assert.deepEqual(uncaught, []);
  });

  test('every package in the rules is a dependency, so that no rule is about a removed package', () => {
    const known = workspaces.flatMap((folder) => dependenciesOf(folder));
    const named = Object.values(adapterPackages).flat();
    const unknown = named.filter((pattern) => !known.some((name) => pattern.test(name)));
    assert.deepEqual(unknown.map(String), []);
  });

  test('no other file loads the command line, whose packages only the bundle has', () => {
    const inside = files.filter(({ path }) => commandLine.test(path));
    const loading = [...importedFiles(files.filter(isProduct))].filter(
      ([path, targets]) => !commandLine.test(path) && targets.some((target) => commandLine.test(target)),
    );
    assert.deepEqual(loading, []);
    const { name, devDependencies = {} } = manifestOf('app');
    const installed = [...dependenciesOf('app'), name, ...Object.keys(devDependencies)];
    const imported = inside.flatMap(({ text }) => importsOf(text)).flatMap((each) => packageOf(each) ?? []);
    assert.deepEqual(
      imported.filter((each) => !installed.includes(each)),
      [],
    );
  });

  for (const folder of workspaces) {
    test(`${folder} depends on the packages that it imports, and on no others`, () => {
      const own = files.filter(({ path }) => path.startsWith(`${folder}/`) && !commandLine.test(path));
      const imported = new Set(
        own.flatMap(({ text }) => importsOf(text)).flatMap((specifier) => packageOf(specifier) ?? []),
      );
      const { name } = manifestOf(folder);
      imported.delete(name);
      for (const loaded of loadedByName[folder] ?? []) imported.add(loaded);
      assert.deepEqual(dependenciesOf(folder), [...imported].sort());
    });
  }
});

describe('The unpublished parts of pg', () => {
  const files = sourceFiles();

  test('are used by the fast paths alone; other folders call four functions', () => {
    assert.ok(files.some(({ text }) => text.includes('detachSocket')));
    assert.deepEqual(files.filter(isProduct).flatMap(wireUses), []);
  });

  test('planted violations are caught', () => {
    const planted: readonly SourceFile[] = [
      { path: 'adapters/sql/postgres/planted.ts', text: "import { wireOf } from '../fast-paths/wire.js';" },
      {
        path: 'adapters/sql/postgres/planted.ts',
        text: "import { detachSocket, submit } from '../fast-paths/wire.js';",
      },
      { path: 'adapters/sql/engine/planted.ts', text: "import type { Wire } from '../fast-paths/wire.js';" },
      { path: 'adapters/sql/engine/planted.ts', text: "import * as wire from '../fast-paths/wire.js';" },
      { path: 'adapters/sql/engine/planted.ts', text: "export { wireOf } from '../fast-paths/wire.js';" },
    ];
    assert.deepEqual(
      planted.map((file) => wireUses(file).length),
      [1, 1, 1, 1, 1],
    );
  });
});

const fastPaths = 'adapters/sql/fast-paths/';

function wireUses({ path, text }: SourceFile): readonly string[] {
  if (path.startsWith(fastPaths)) return [];
  return importClauses(text)
    .filter(({ specifier }) => resolve(path, specifier) === `${fastPaths}wire.js`)
    .filter(
      ({ what }) =>
        !namesIn(what).every((name) => /^(detachSocket|onParameter|processIdOf|requestCancel)$/.test(name)),
    )
    .map(({ what }) => `${path} imports ${what} of wire.ts`);
}

describe('The files of the product', () => {
  test('do not import each other in a circle, not even for their types', () => {
    const files = sourceFiles().filter(isProduct);
    const imports = importedFiles(files);
    assert.ok(imports.get('adapters/express/app.ts')?.includes('adapters/express/api.ts'));
    assert.ok(imports.get('app/program/serving.ts')?.includes('app/cli/serve.ts'));
    assert.deepEqual(circles(imports), []);
  });

  test('planted circles are caught, of values and of types', () => {
    const circlesOf = (texts: Readonly<Record<string, string>>): readonly string[] =>
      circles(importedFiles(Object.entries(texts).map(([name, text]) => ({ path: `app/${name}.ts`, text }))));
    assert.deepEqual(
      circlesOf({
        one: "import { two } from './two.js';",
        two: "import { type Three, three } from './three.js';",
        three: "export * from './one.js';",
        self: "import './self.js';",
      }),
      ['app/one.ts → app/two.ts → app/three.ts → app/one.ts', 'app/self.ts → app/self.ts'],
    );
    const planted = [
      "import type { One } from './one.js';",
      "import { type One } from './one.js';",
      "import type * as one from './one.js';",
      "export type { One } from './one.js';",
      "export type * from './one.js';",
      "export type Two = import('./one.js').One;",
      "export const load = () => import('./one.js');",
    ];
    for (const text of planted)
      assert.deepEqual(
        circlesOf({ one: "import { two } from './two.js';", two: text }),
        ['app/one.ts → app/two.ts → app/one.ts'],
        text,
      );
  });
});

/** The files that each file imports: at once, later by `import()`, or only for their types. */
function importedFiles(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const sources = new Map(files.map(({ path }) => [path.replace(/\.tsx?$/, '.js'), path]));
  return new Map(
    files.map(({ path, text }) => [
      path,
      importsOf(text).flatMap((specifier) => sources.get(resolve(path, specifier)) ?? []),
    ]),
  );
}

/** One circle of every group of files that import each other. */
function circles(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const follow = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) found.push([...way.slice(way.indexOf(path)), path].join(' → '));
    if (way.includes(path) || done.has(path)) return;
    for (const target of imports.get(path) ?? []) follow(target, [...way, path]);
    done.add(path);
  };
  for (const path of imports.keys()) follow(path, []);
  return found;
}

/** Pages and routes without a use-case of the same name, and the reasons. */
const withoutUseCase: Readonly<Record<string, string>> = {
  'adapters/express/operator/routes/import-records.ts': 'the app imports records, not the core',
  'adapters/express/operator/routes/read-status.ts': 'the app knows its own state',
  'adapters/express/pages/account/renew-session.tsx': 'calls signIn again for the person who is signed in',
  'adapters/express/pages/demo/list-mails.tsx': 'shows the mails that the demo keeps instead of sending them',
  'adapters/express/pages/demo/start-again.tsx': 'the app starts the demo again',
  'adapters/express/pages/docs/guide.tsx': 'documentation',
  'adapters/express/pages/docs/reference.tsx': 'documentation',
  'adapters/express/pages/invitations/renew-selected.tsx':
    'calls renewInvitation for each selected invitation',
  'adapters/express/pages/organization/overview.tsx': 'shows what several use-cases tell',
  'adapters/express/pages/webhooks/rotate-secret.tsx':
    'calls configureWebhook, which also rotates the secret',
};

/** Routes that do not export an operation of their name, and the reasons. */
const otherOperations: Readonly<Record<string, string>> = {
  'adapters/express/routes/configure-webhook.ts':
    'POST and PATCH are two operations of one use-case: `createWebhook` and `changeWebhook`',
};

describe('The top level of the repository', () => {
  const allowed =
    /^(\.\w[\w.]*|adapters|app|contracts|core|findings|test|package(-lock)?\.json|tsconfig(\.\w+)?\.json|biome\.json|Dockerfile|LICENSE|(CHANGELOG|README|SECURITY)\.md)$/;

  test('has nothing but the parts of the product and the files of its tools', () => {
    const kept = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
    const names = [...new Set(kept.map((path) => path.replace(/\/.*/, '')))];
    assert.ok(names.includes('core'));
    assert.deepEqual(
      names.filter((name) => !allowed.test(name)),
      [],
    );
  });

  test('planted violations are caught', () => {
    const planted = [':memory:', 'notes.md', 'w2.mjs', 'scripts', '-'];
    assert.deepEqual(
      planted.filter((name) => allowed.test(name)),
      [],
    );
  });
});

describe('The settings', () => {
  const lists = /^(?:app\/config|core)\/settings\.ts$/;
  const using = sourceFiles().filter((file) => isProduct(file) && !lists.test(file.path));
  const unused = (names: readonly string[]) =>
    names.filter((name) => !using.some(({ text }) => new RegExp(`\\b${name}\\b`).test(text)));

  test('are each used by the product', () => {
    assert.deepEqual(unused(settingNames), []);
  });

  test('a planted one that nothing uses is caught', () => {
    assert.deepEqual(unused(['pageLimit', 'plantedLimit']), ['plantedLimit']);
  });
});

describe('The names of features', () => {
  const files = sourceFiles();
  const useCases = useCasesIn(
    files
      .filter(({ path }) => isList(path))
      .map(({ text }) => text)
      .join('\n'),
  );

  test('pages and routes are named after their use-case, and export it', () => {
    assert.ok(useCases.has('invite-user'));
    assert.ok(files.some(isPage));
    assert.ok(files.some(isRoute));
    assert.deepEqual(
      files.flatMap((file) => misnamed(file, useCases)),
      [],
    );
  });

  test('planted violations are caught', () => {
    const planted: readonly SourceFile[] = [
      {
        path: 'adapters/express/routes/promote.ts',
        text: "export const promote = securedOperation('promote', answer);",
      },
      {
        path: 'adapters/express/operator/routes/promote.ts',
        text: "export const promote = operatorOperation('promote', answer);",
      },
      {
        path: 'adapters/express/routes/set-idp-id.ts',
        text: "export const changeUser = securedOperation('changeUser', answer);",
      },
      {
        path: 'adapters/express/routes/read-user.ts',
        text: "export const readUserData = securedOperation('readUser', answer);",
      },
      { path: 'adapters/express/routes/read-user.ts', text: 'export function readUser() {}' },
      {
        path: 'adapters/express/operator/routes/erase-user.ts',
        text: "export const erase = operatorOperation('eraseUser', answer);",
      },
      {
        path: 'adapters/express/pages/members/promote.tsx',
        text: 'export const promote = memberPage({',
      },
      {
        path: 'adapters/express/pages/members/change-role.tsx',
        text: 'export const member: Page = {',
      },
    ];
    assert.deepEqual(
      planted.map((file) => misnamed(file, useCases).length),
      [1, 1, 1, 1, 1, 1, 1, 1],
    );
  });

  test('every exception is still needed', () => {
    const textOf = new Map(files.map(({ path, text }) => [path, text]));
    const unnecessary = [
      ...Object.keys(withoutUseCase).filter((path) => !textOf.has(path) || useCases.has(nameOf(path))),
      ...Object.keys(otherOperations).filter((path) =>
        exportsOperation({ path, text: textOf.get(path) ?? '' }),
      ),
    ];
    assert.deepEqual(unnecessary, []);
  });
});

function isList(path: string): boolean {
  return /^core\/\w+\/use-cases\.ts$/.test(path);
}

/** The use-cases that the chapters of the core list, by their file names, such as `invite-user`. */
function useCasesIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/^export \* from '.*\/([\w-]+)\.js';$/gm)].map(([, name = '']) => name));
}

const servesPage =
  /^export (?:const|function) (\w+)(?:: Page = \{| = (?:(?:signedIn|account|member)Page|(?:account|member|public)Form)\(|\([^)]*\): Page \{)/m;

function isPage({ path, text }: SourceFile): boolean {
  return /^adapters\/express\/pages\/\w+\//.test(path) && servesPage.test(text);
}

function isRoute({ path }: SourceFile): boolean {
  return /^adapters\/express\/(operator\/)?routes\//.test(path);
}

/** Whether the route has an operation with its own name in camel case. */
function exportsOperation({ path, text }: SourceFile): boolean {
  const exported = [...text.matchAll(/^export const (\w+) = (?:public|secured|operator)Operation\(/gm)];
  return exported.some(([, name]) => name === camelCase(nameOf(path)));
}

function misnamed(file: SourceFile, useCases: ReadonlySet<string>): readonly string[] {
  if (!isPage(file) && !isRoute(file)) return [];
  const { path, text } = file;
  const name = nameOf(path);
  const exported = camelCase(name);
  const servesOther = isRoute(file)
    ? !exportsOperation(file) && !(path in otherOperations)
    : servesPage.exec(text)?.[1] !== exported;
  return [
    ...(useCases.has(name) || path in withoutUseCase ? [] : [`${path}: no use-case is named ${name}`]),
    ...(servesOther ? [`${path} does not export ${exported}`] : []),
  ];
}

function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The name of a file without its folder and extension. */
function nameOf(path: string): string {
  return basename(path).replace(/\.tsx?$/, '');
}

function violations({ path, text }: SourceFile): readonly string[] {
  const zone = zoneOf(path);
  if (zone === undefined && path.startsWith('test/')) return [];
  if (zone === undefined) return [`${path} belongs to no zone`];

  const imports = importsOf(text).map((specifier) => resolve(path, specifier));
  const foreign = imports.filter((target) => !zone.mayImport.some((allowed) => allowed.test(target)));
  const forbidden = (zone.mustNotContain ?? []).filter((pattern) => pattern.test(withoutComments(text)));
  return [
    ...foreign
      .filter((target) => !(containers.test(path) && target === 'inversify'))
      .map((target) => `${path} imports ${target}`),
    ...(imports.includes('inversify') && !containers.test(path)
      ? [`${path} imports the container library`]
      : []),
    ...forbidden.map((pattern) => `${path} contains ${pattern}`),
    ...(environment.some((pattern) => pattern.test(text)) && !environmentReaders.test(path)
      ? [`${path} reads the environment`]
      : []),
  ];
}

function zoneOf(path: string): Zone | undefined {
  return zones.find(({ files }) => files.test(path));
}

interface ImportClause {
  /** What is between `import` or `export` and `from`, such as `type { Core }`; empty: nothing. */
  readonly what: string;
  readonly specifier: string;
}

function importClauses(text: string): readonly ImportClause[] {
  const clauses = [
    ...text.matchAll(/^(?:import|export)\s+([^;'"]*?)\s*from\s*['"]([^'"]+)['"]/gm),
    ...text.matchAll(/^import()\s*['"]([^'"]+)['"]/gm),
  ];
  return clauses.map(([, what = '', specifier = '']) => ({ what, specifier }));
}

/** The names of a clause, each with its `type`. */
function namesIn(what: string): readonly string[] {
  const [, type = '', braced] = /^(type\s+)?(?:\{([^}]*)\})?/.exec(what) ?? [];
  const names = braced === undefined ? [what.slice(type.length)] : braced.split(',');
  return names
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => (type === '' ? name : `type ${name}`));
}

function importsOf(text: string): readonly string[] {
  const from = /(?:^|\n)\s*(?:import|export)\b[^;'"]*?from\s*['"]([^'"]+)['"]/g;
  const bare = /(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g;
  const dynamic = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;
  return [from, bare, dynamic].flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => match[1] ?? ''),
  );
}

/** The path of an imported file in the repository, or the name of a package. */
function resolve(path: string, specifier: string): string {
  if (specifier.startsWith('.')) return relative(root, join(root, path, '..', specifier));
  if (specifier.startsWith('#')) return specifier.slice(1);
  return specifier;
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/\/\/.*$/gm, '');
}

function isProduct({ path }: SourceFile): boolean {
  return !path.startsWith('test/');
}

function sourceFiles(): readonly SourceFile[] {
  return ['core', 'contracts', 'adapters', 'app', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .filter((path) => !/(^|\/)(dist|node_modules)\//.test(path) && !path.endsWith('.d.ts'))
      .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
  );
}
