import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Zone {
  readonly name: string;
  /** The files of the zone, by their path from the root. */
  readonly files: RegExp;
  /** What they may import, by the path from the root or the package's name. */
  readonly mayImport: readonly RegExp[];
  /** What their text must not hold. */
  readonly mustNotHold?: readonly RegExp[];
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
/** The package has another name with Node 20: `sqliteDriver` loads it. */
const sqliteByName = [/^import (?!type\b).*from 'better-sqlite3'/m];
const adapterFolders = ['crypto', 'express', 'pages', 'sql', 'system', 'webhook'] as const;

/** Which packages each technology's folder stands on; no other folder may know them. */
const adapterPackages: Record<(typeof adapterFolders)[number], readonly RegExp[]> = {
  crypto: [/^@node-rs\/argon2$/, /^p-limit$/],
  pages: [/^express$/, /^helmet$/, /^preact(\/|$)/, /^preact-render-to-string$/],
  express: [
    /^express$/,
    /^helmet$/,
    /^ajv(\/|$)/,
    /^ajv-formats$/,
    /^busboy$/,
    /^pino$/,
    /^@rollcall\/contracts$/,
  ],
  sql: [/^knex(\/|$)/, /^better-sqlite3$/, /^p-limit$/, /^pg$/],
  system: [
    /^@sentry\/core(\/|$)/,
    /^p-limit$/,
    /^pino$/,
    /^pino-pretty$/,
    /^prom-client$/,
    /^rate-limiter-flexible$/,
  ],
  webhook: [/^got$/],
};

const zones: readonly Zone[] = [
  {
    name: 'the core',
    files: /^core\/(?!testing\/)/,
    mayImport: [/^core\/(?!testing\/)/, /^temporal-polyfill$/],
    mustNotHold: clockAndChance,
  },
  {
    name: 'the core’s testing kit',
    files: /^core\/testing\//,
    mayImport: [/^core\//],
    mustNotHold: clockAndChance,
  },
  {
    name: 'the contracts',
    files: /^contracts\//,
    mayImport: [/^contracts\//, /^node:/, /^yaml$/],
    mustNotHold: environment,
  },
  ...adapterFolders.map((folder) => ({
    name: `adapters/${folder}`,
    files: new RegExp(`^adapters/${folder}/`),
    mayImport: [
      new RegExp(`^adapters/${folder}/`),
      /^@rollcall\/core$/,
      /^node:/,
      ...adapterPackages[folder],
    ],
    mustNotHold: [...environment, ...sqliteByName],
  })),
  {
    name: 'the app',
    files: /^app\//,
    mayImport: [
      /^app\//,
      /^adapters\//,
      /^@rollcall\/(core|contracts)$/,
      /^node:/,
      /^(inversify|reflect-metadata|commander|cli-progress|env-schema|ajv|ajv-formats|selfsigned)(\/|$)/,
    ],
  },
  {
    name: 'the foreign service',
    files: /^test\/foreign-service\/(?!(load|promises)\.ts)/,
    mayImport: [/^test\/foreign-service\//, /^@rollcall\/core$/, /^node:/, /^better-sqlite3$/],
    mustNotHold: environment,
  },
  {
    name: 'the foreign service’s tests',
    files: /^test\/foreign-service\//,
    mayImport: [/^test\/foreign-service\//, /^@rollcall\/core\/testing$/, /^node:/],
  },
];

/** Where the environment may be read. */
const environmentReaders = /^app\/config\.ts$/;
/** Where inversify may be known. */
const containers = /^app\/container\.ts$/;

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

describe('The walls between the parts', () => {
  const files = sourceFiles();

  test('every source file belongs to a zone', () => {
    const homeless = files.filter(({ path }) => !path.startsWith('test/') && zoneOf(path) === undefined);
    assert.deepEqual(
      homeless.map(({ path }) => path),
      [],
    );
  });

  test('each zone imports only what it may and holds nothing that it must not', () => {
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
      { path: 'test/foreign-service/planted.ts', text: "import { sqlPorts } from '#adapters/sql/index.js';" },
      { path: 'test/foreign-service/planted.ts', text: "import { openapi } from '@rollcall/contracts';" },
      { path: 'test/foreign-service/planted.ts', text: "import { aUser } from '@rollcall/core/testing';" },
      { path: 'test/foreign-service/planted.ts', text: "import { service } from '../support/service.js';" },
      { path: 'test/foreign-service/load.ts', text: "import { Secret } from '../../core/values/secret.js';" },
    ];
    const uncaught = planted.filter((file) => violations(file).length === 0);
    assert.deepEqual(uncaught, []);
  });

  test('every package that the rules name is a dependency, so that no rule passes for a package that is gone', () => {
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    );
    const known = Object.keys({ ...dependencies, ...optionalDependencies });
    const named = Object.values(adapterPackages).flat();
    const gone = named.filter((pattern) => !known.some((name) => pattern.test(name)));
    assert.deepEqual(gone.map(String), []);
  });
});

function violations({ path, text }: SourceFile): readonly string[] {
  const zone = zoneOf(path);
  if (zone === undefined && path.startsWith('test/')) return [];
  if (zone === undefined) return [`${path} belongs to no zone`];

  const imports = importsOf(text).map((specifier) => resolve(path, specifier));
  const foreign = imports.filter((target) => !zone.mayImport.some((allowed) => allowed.test(target)));
  const held = (zone.mustNotHold ?? []).filter((pattern) => pattern.test(withoutComments(text)));
  return [
    ...foreign
      .filter((target) => !(containers.test(path) && target === 'inversify'))
      .map((target) => `${path} imports ${target}`),
    ...(imports.includes('inversify') && !containers.test(path) ? [`${path} knows the container`] : []),
    ...held.map((pattern) => `${path} holds ${pattern}`),
    ...(environment.some((pattern) => pattern.test(text)) && !environmentReaders.test(path)
      ? [`${path} reads the environment`]
      : []),
  ];
}

function zoneOf(path: string): Zone | undefined {
  return zones.find(({ files }) => files.test(path));
}

function importsOf(text: string): readonly string[] {
  const from = /(?:^|\n)\s*(?:import|export)\b[^;'"]*?from\s*['"]([^'"]+)['"]/g;
  const bare = /(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g;
  const dynamic = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;
  return [from, bare, dynamic].flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => match[1] ?? ''),
  );
}

/** The path from the root of what is imported, or the name of the package. */
function resolve(path: string, specifier: string): string {
  if (specifier.startsWith('.')) return relative(root, join(root, path, '..', specifier));
  if (specifier.startsWith('#')) return specifier.slice(1);
  return specifier;
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/\/\/.*$/gm, '');
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
