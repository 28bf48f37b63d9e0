import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '../support/packing.js';
import { runOnServer } from '../support/postgres-client.js';
import { startPostgresServer } from '../support/postgres-server.js';
import { browserGroup } from './browsers.js';
import { calendarGroup } from './calendars.js';
import { contractGroup } from './contract-testers.js';
import { generatorGroup } from './generators.js';
import { mailGroup } from './mails.js';
import { Context, type DatabaseKind, execute, type Group, type Peer } from './peer.js';
import { poolerGroup } from './poolers.js';
import { firewallGroup, proxyGroup } from './proxies.js';
import { receiverGroup, verifierGroup } from './receivers.js';
import { tableGroup } from './tables.js';
import { oldTls } from './tls.js';

/**
 * Runs the product with other people's programs, on both databases: `npm run test:peers`, or `npm run test:peers -- orval
 * receivers` for those in whose name or group's title one of the words is. They come from npm, in a temporary folder, and
 * from Debian. Writes what it has seen to contracts/compatibility.md.
 */
const groups: readonly Group[] = [
  ...[
    generatorGroup,
    tableGroup,
    calendarGroup,
    { ...receiverGroup, peers: [...receiverGroup.peers, oldTls] },
    proxyGroup,
    firewallGroup,
    poolerGroup,
    verifierGroup,
  ],
  ...[mailGroup, browserGroup, contractGroup],
];

/** Most of the packages need it. */
const NODE = '22';
const DATABASES: readonly DatabaseKind[] = ['sqlite', 'postgres'];
const MAX_RUN_MS = 300_000;
const DOCUMENT = join(root, 'contracts/compatibility.md');

// Each server of PostgreSQL adds a listener.
process.setMaxListeners(0);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const wanted = process.argv.slice(2).map((word) => word.toLowerCase());
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rollcall-peers-')));
chmodSync(folder, 0o755);
const rows = new Map(recordedRows());
let databases = 0;

const postgres = await startPostgresServer({ small: true });
try {
  const node = await installNode();
  for (const { title, peers } of groups) {
    for (const peer of peers.filter(({ name }) => isWanted(`${title} ${name}`))) {
      const started = performance.now();
      const result = await tryPeer(peer, node);
      const seconds = Math.round((performance.now() - started) / 1000);
      process.stdout.write(`${title}, ${peer.name}: ${result} (${seconds} s)\n`);
      const cells = [peer.name, versionOf(peer), result, new Date().toISOString().slice(0, 10)];
      rows.set(rowKey(title, peer.name), `| ${cells.join(' | ')} |`);
    }
  }
  writeFileSync(DOCUMENT, compatibility());
} finally {
  await postgres.remove();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

function isWanted(name: string): boolean {
  return wanted.length === 0 || wanted.some((word) => name.toLowerCase().includes(word));
}

async function tryPeer(peer: Peer, node: string): Promise<string> {
  const cwd = join(folder, peer.name.replace(/\W/g, '-'));
  try {
    const missing = await install(peer, cwd);
    if (missing !== null) return `not run: ${missing}`;
    for (const kind of peer.databases ?? DATABASES) await runOn(kind, peer, { cwd: join(cwd, kind), node });
    if (peer.fails !== undefined) return `does not: ${peer.fails}`;
    const works = peer.needs === undefined ? 'works' : `works with ${peer.needs}`;
    return peer.but === undefined ? works : `${works}, but ${peer.but}`;
  } catch (error) {
    process.exitCode = 1;
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    process.stdout.write(`${`${error}\n${stdout}${stderr}`.slice(0, 4000)}\n`);
    return 'failed';
  }
}

async function runOn(kind: DatabaseKind, { run }: Peer, given: Pick<Context, 'cwd' | 'node'>): Promise<void> {
  const postgresUrl = await newDatabase();
  const databaseUrl = kind === 'sqlite' ? 'sqlite:data/rollcall.db' : await newDatabase();
  const context = new Context({ kind, databaseUrl, postgresUrl, ...given });
  const limit = new AbortController();
  try {
    const isLate = pause(MAX_RUN_MS, null, { signal: limit.signal }).then(() => {
      throw new Error(`not done after ${MAX_RUN_MS / 1000} s`);
    });
    await Promise.race([run(context), isLate]);
  } finally {
    limit.abort();
    await context.end();
  }
}

async function newDatabase(): Promise<string> {
  databases += 1;
  await runOnServer(postgres.url(), `CREATE DATABASE peer_${databases} TEMPLATE template0`);
  return postgres.url(`peer_${databases}`);
}

async function installNode(): Promise<string> {
  await installPackages(join(folder, 'node'), [`node@${NODE}`], []);
  return join(folder, 'node/node_modules/node/bin/node');
}

/** Says what is missing here, or null. */
async function install({ npm = [], debian = [] }: Peer, cwd: string): Promise<string | null> {
  await installPackages(cwd, npm, ['--ignore-scripts', '--legacy-peer-deps']);
  const missing = debian.filter((name) => debianVersion(name) === null);
  if (missing.length === 0) return null;
  if (spawnSync('apt-get', ['--version']).error !== undefined || process.getuid?.() !== 0)
    return `needs Debian's ${missing.join(', ')}`;
  await withoutServices(() =>
    execute('apt-get', ['install', '--yes', '--no-install-recommends', ...missing], {
      ...{ cwd, env: { DEBIAN_FRONTEND: 'noninteractive' } },
    }),
  );
  return null;
}

async function installPackages(cwd: string, packages: readonly string[], options: readonly string[]) {
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'package.json'), '{ "private": true }');
  if (packages.length > 0)
    // The packages run on a newer Node, and `npm run` hands the strictness of this workspace on.
    await execute(
      'npm',
      ['install', '--no-audit', '--no-fund', '--engine-strict=false', ...options, ...packages],
      { cwd },
    );
}

/** Debian's packages ask this program before they start a service. */
async function withoutServices(use: () => Promise<unknown>): Promise<void> {
  const policy = '/usr/sbin/policy-rc.d';
  if (existsSync(policy)) return void (await use());
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await use();
  } finally {
    rmSync(policy);
  }
}

function versionOf({ npm = [], debian = [] }: Peer): string {
  const [, pinned] = /.@(.+)$/.exec(npm[0] ?? '') ?? [];
  return pinned ?? debianVersion(debian[0] ?? '') ?? '';
}

function debianVersion(name: string): string | null {
  const { stdout } = spawnSync('dpkg', ['-s', name], { encoding: 'utf8' });
  if (!stdout?.includes('\nStatus: install ok installed\n')) return null;
  return /^Version: (.*)$/m.exec(stdout)?.[1] ?? null;
}

function rowKey(title: string, name: string): string {
  return `${title}\n${name}`;
}

/** The rows of earlier runs. */
function recordedRows(): readonly [key: string, row: string][] {
  if (!existsSync(DOCUMENT)) return [];
  const [, ...parts] = readFileSync(DOCUMENT, 'utf8').split('\n## ');
  return parts.flatMap((part) => {
    const title = part.slice(0, part.indexOf('\n'));
    return [...part.matchAll(/^\| ([^|]+) \|.*$/gm)].map(
      ([row, name = '']) => [rowKey(title, name), row] as const,
    );
  }) as [string, string][];
}

function compatibility(): string {
  const parts = groups.map(({ title, tried, peers }) => {
    const own = peers.flatMap(({ name }) => rows.get(rowKey(title, name)) ?? []);
    return `\n## ${title}\n\n${tried}\n\n| Peer | Version | Result | Date |\n| --- | --- | --- | --- |\n${own.join('\n')}\n`;
  });
  return `# Compatibility\n\nWhat \`npm run test:peers\` has seen, on SQLite and on PostgreSQL each (poolers: on PostgreSQL). Another run replaces the rows.\n${parts.join('')}`;
}
