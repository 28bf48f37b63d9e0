import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../support/app-cli.js';
import { memoryOf } from '../support/process-memory.js';
import { isSmall } from './data.js';
import { median } from './measure.js';
import type { Bench, Measurement } from './measurement.js';
import { asServed } from './servers.js';
import type { Result, Verdict } from './table.js';

const PAIRS = isSmall ? 2 : 10;
const IDLE_MS = 10_000;
const REQUESTS = 1_000;
const MAX_START_MS = 60_000;

/** A build of the product: this one, or an earlier one in another folder. */
interface Build {
  readonly folder: string;
  readonly program: string;
  readonly commit: string;
  readonly url: string;
}

/** Milliseconds and megabytes. */
interface Start {
  readonly ready: number;
  readonly idle: number;
  readonly used: number;
  readonly stopped: number;
}

/**
 * Starts of the service and of commands. `BENCH_BEFORE` names the folder of an earlier build, with which each is paired:
 * `git worktree add ../before 50f84dc6`, then `npm ci && npm run build` in it. Without it, there are no ratios.
 */
export const starts: Measurement = {
  name: 'starts',
  async run(bench) {
    const now = await build(bench, fileURLToPath(new URL('../../../', import.meta.url)), 'now');
    const { BENCH_BEFORE: folder = '' } = process.env;
    const before = folder === '' ? null : await build(bench, folder, 'before');
    return [
      await service(bench, now, before),
      await commands(bench, now, before),
      ...(bench.engine === 'SQLite' ? [await texts(bench, now)] : []),
    ];
  },
};

/** The build in this folder, with a database of its own that is up to date. */
async function build(bench: Bench, folder: string, name: string): Promise<Build> {
  const found = {
    folder,
    program: join(folder, 'app', 'dist', 'rollcall.cjs'),
    commit: readFileSync(join(folder, 'app', 'dist', 'revision.txt'), 'utf8').trim(),
    url: await bench.databases.another(`starts_${name}`),
  };
  await timed(bench, [found.program, 'migrate'], { DATABASE_URL: found.url });
  return found;
}

/** `work` of both builds in turn, `PAIRS` times. */
async function paired<Figures>(
  builds: readonly (Build | null)[],
  work: (build: Build) => Promise<Figures>,
): Promise<readonly (readonly Figures[])[]> {
  const found: Figures[][] = builds.map(() => []);
  for (let pair = 0; pair < PAIRS; pair += 1)
    for (const [at, each] of builds.entries()) if (each !== null) found[at]?.push(await work(each));
  return found;
}

async function service(bench: Bench, now: Build, before: Build | null): Promise<Result> {
  const [ours = [], theirs = []] = await paired([now, before], (each) => start(bench, each));
  const ratio = (figure: string, of: (one: Start) => number, atMost: number): readonly Verdict[] => {
    if (before === null) return [];
    const value = median(ours.map(of)) / median(theirs.map(of));
    return [{ figure: `${figure}, of ${before.commit}`, value, goal: { atMost } }];
  };
  return {
    work: 'Start of the service',
    rate: 'requests',
    measured: [],
    verdicts: [
      ...ratio('of the time until it is ready', ({ ready }) => ready, 0.35),
      ...ratio(`of the memory after ${IDLE_MS / 1000} s`, ({ idle }) => idle, 0.65),
      ...ratio(`of the memory after ${REQUESTS.toLocaleString('en')} requests`, ({ used }) => used, 0.75),
      {
        figure: 'from SIGTERM to the exit, when no proxy asks',
        value: median(ours.map(({ stopped }) => stopped)),
        goal: { atMost: 200 },
        unit: ' ms',
      },
    ],
    remarks: [
      `ready after ${spread(ours.map(({ ready }) => ready))} ms, ${spread(ours.map(({ idle }) => idle))} MB idle, ${spread(ours.map(({ used }) => used))} MB used`,
      ...(before === null
        ? ['BENCH_BEFORE names no earlier build']
        : [
            `${before.commit}: ${spread(theirs.map(({ ready }) => ready))} ms, ${spread(theirs.map(({ idle }) => idle))} MB, ${spread(theirs.map(({ used }) => used))} MB`,
          ]),
    ],
  };
}

/** Starts the service, waits, sends requests that fail and succeed, and stops it. */
async function start(bench: Bench, { program, url }: Build): Promise<Start> {
  const port = await freePort();
  const from = performance.now();
  const child = run(bench, [program, 'serve'], { PORT: String(port), DATABASE_URL: url });
  const status = (path: string, agent: Agent | false): Promise<number> => statusOf({ port, path, agent });
  while ((await status('/readyz', false).catch(() => 0)) !== 200) {
    if (child.exitCode !== null || performance.now() - from > MAX_START_MS)
      throw new Error(`${program} does not start`);
    await pause(2);
  }
  const ready = performance.now() - from;
  await pause(isSmall ? 100 : IDLE_MS);
  const idle = memoryOf(child.pid);
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  for (let sent = 0; sent < REQUESTS; sent += mixed.length)
    await Promise.all(mixed.map((path) => status(path, agent)));
  const used = memoryOf(child.pid);
  agent.destroy();
  await pause(100);
  const told = performance.now();
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  return { ready, idle, used, stopped: performance.now() - told };
}

/** Pages, files, documents, and requests that are refused. */
const mixed = [
  ...['/', '/sign-in', '/openapi.json', '/healthz', '/assets/rollcall.css', '/nothing'],
  '/api/v2/organizations/1/export_meetings',
];

export function statusOf(request: {
  readonly port: number;
  readonly path: string;
  readonly agent: Agent | false;
}): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', ...request }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    }).once('error', reject);
  });
}

async function commands(bench: Bench, now: Build, before: Build | null): Promise<Result> {
  const file = join(bench.servedOn(now.url).cwd, 'starts.ndjson');
  writeFileSync(file, '{"kind":"organization","id":1,"name":"Northwind"}\n');
  const works: readonly (readonly [name: string, work: (build: Build) => Promise<number>])[] = [
    [
      'import of one record',
      ({ program, url }) => timed(bench, [program, 'import', file], { DATABASE_URL: url }),
    ],
    ...(bench.engine === 'SQLite'
      ? [
          ['migrate of a new file', (each: Build) => migrateNew(bench, each)] as const,
          ['import of @rollcall/core, after the start of Node', importCore] as const,
        ]
      : []),
  ];
  const verdicts: Verdict[] = [];
  const remarks: string[] = [];
  for (const [name, work] of works) {
    const [ours = [], theirs = []] = await paired([now, before], work);
    remarks.push(
      `${name}: ${spread(ours)} ms${before === null ? '' : `, ${before.commit} ${spread(theirs)} ms`}`,
    );
    if (before === null) continue;
    const value = median(ours) / median(theirs);
    verdicts.push({ figure: `of the time of ${before.commit}: ${name}`, value, goal: { atMost: 0.4 } });
  }
  return { work: 'Commands', rate: 'requests', measured: [], verdicts, remarks };
}

function migrateNew(bench: Bench, { program }: Build): Promise<number> {
  const file = join(bench.servedOn('').cwd, 'starts-new.db');
  for (const end of ['', '-wal', '-shm', '.key']) rmSync(file + end, { force: true });
  return timed(bench, [program, 'migrate'], { DATABASE_URL: `sqlite:${file}` });
}

/** Milliseconds that an embedder waits for. */
async function importCore({ folder }: Build): Promise<number> {
  const program = `const from = performance.now();
    await import('@rollcall/core');
    console.log(performance.now() - from);`;
  const args = ['--input-type=module', '-e', program];
  return Number((await promisify(execFile)(process.execPath, args, { cwd: folder })).stdout);
}

/** What is printed without loading the program, beside a Node that does nothing. */
async function texts(bench: Bench, { folder }: Build): Promise<Result> {
  const command = join(folder, 'app', 'dist', 'rollcall.cjs');
  const times: Record<'bare' | 'help' | 'version', number[]> = { bare: [], help: [], version: [] };
  for (let pair = 0; pair < 2 * PAIRS; pair += 1) {
    times.bare.push(await timed(bench, ['-e', '0'], {}));
    times.help.push(await timed(bench, [command, '--help'], {}));
    times.version.push(await timed(bench, [command, '--version'], {}));
  }
  const bare = median(times.bare);
  return {
    work: 'Help',
    rate: 'requests',
    measured: [],
    verdicts: (['help', 'version'] as const).map((name) => ({
      figure: `of the time of a bare Node: --${name}`,
      value: median(times[name]) / bare,
      goal: { atMost: 1.25 },
    })),
    remarks: [`bare Node: ${spread(times.bare)} ms`],
  };
}

/** Milliseconds until the program has ended. */
async function timed(bench: Bench, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const from = performance.now();
  const [code] = await once(run(bench, args, env), 'exit');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return performance.now() - from;
}

function run(bench: Bench, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const { cwd, secretKey } = bench.servedOn('');
  return spawn(process.execPath, [...asServed, ...args], {
    cwd,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      LOG_LEVEL: 'error',
      SECRET_KEY: secretKey,
      ...env,
    },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
}

function spread(numbers: readonly number[]): string {
  if (numbers.length === 0) return '–';
  return `${median(numbers).toFixed(0)} (${Math.min(...numbers).toFixed(0)} to ${Math.max(...numbers).toFixed(0)})`;
}
