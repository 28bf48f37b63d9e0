import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/app-cli.js';
import { isSmall } from './data.js';
import type { Bench, Measurement } from './measurement.js';
import { statusOf } from './starts.js';
import type { Verdict } from './table.js';

const OURS = fileURLToPath(new URL('../../../', import.meta.url));
const MAX_SECONDS = 900;

/**
 * What a newcomer waits for and an operator stores: clones of what is committed, npm without a cache, all cores. Fetches 200 MB.
 * On Node 20, where npm may compile the SQLite driver, the time is compared with that of `BENCH_BEFORE` (see starts.ts).
 */
export const install: Measurement = {
  name: 'install',
  async run(bench) {
    if (isSmall || bench.engine !== 'SQLite') return [];
    const production = clone(bench, OURS);
    await npm(production, ['ci', '--omit=dev']);
    const size = Number.parseInt(
      execFileSync('du', ['-sm', 'node_modules'], { cwd: production.folder, encoding: 'utf8' }),
      10,
    );
    production.remove();
    const seconds = await firstCommand(bench, OURS);
    const { BENCH_BEFORE: before = '' } = process.env;
    const isOld = Number.parseInt(process.versions.node, 10) < 22;
    const earlier = isOld && before !== '' ? await firstCommand(bench, before) : null;
    const verdicts: Verdict[] = [
      { figure: 'of packages for production', value: size, goal: { atMost: 60 }, unit: ' MB' },
    ];
    const figure = 'for npm ci && npm run demo';
    if (!isOld) verdicts.push({ figure, value: seconds, goal: { atMost: 40 }, unit: ' s' });
    if (earlier !== null)
      verdicts.push({
        figure: `of the time of 50f84dc6 ${figure}`,
        value: seconds / earlier,
        goal: { atMost: 0.5 },
      });
    const remarks = [`${seconds.toFixed(0)} s${earlier === null ? '' : `, before ${earlier.toFixed(0)} s`}`];
    return [{ work: 'Installation', rate: 'requests', measured: [], verdicts, remarks }];
  },
};

interface Clone {
  readonly folder: string;
  readonly run: (args: readonly string[], env?: NodeJS.ProcessEnv) => ChildProcess;
  remove(): void;
}

/** A clone whose npm has an empty cache. */
function clone({ servedOn, core }: Bench, from: string): Clone {
  const parent = join(servedOn('').cwd, 'install');
  const folder = join(parent, 'rollcall');
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', from, folder]);
  // This program is pinned to the clients' core.
  const pinning = core === null ? [] : ['taskset', '-c', `0-${cpus().length - 1}`];
  return {
    folder,
    run(args, env = {}) {
      const [program = '', ...rest] = [...pinning, 'npm', ...args];
      const all = { ...process.env, npm_config_cache: join(parent, 'cache'), ...env };
      return spawn(program, rest, { cwd: folder, env: all, stdio: 'ignore', detached: true });
    },
    remove: () => rmSync(parent, { recursive: true, force: true }),
  };
}

async function npm({ run }: Clone, args: readonly string[]): Promise<void> {
  const [code] = await once(run(args), 'exit');
  if (code !== 0) throw new Error(`npm ${args.join(' ')} ended with ${code}`);
}

/** Seconds until the demo is ready. */
async function firstCommand(bench: Bench, from: string): Promise<number> {
  const cloned = clone(bench, from);
  const port = await freePort();
  const start = performance.now();
  const seconds = (): number => (performance.now() - start) / 1000;
  await npm(cloned, ['ci']);
  const demo = cloned.run(['run', 'demo'], { PORT: String(port) });
  const ended = once(demo, 'exit');
  const status = () => statusOf({ port, path: '/readyz', agent: false }).catch(() => 0);
  while ((await status()) !== 200) {
    if (demo.exitCode !== null || seconds() > MAX_SECONDS)
      throw new Error(`the demo of ${from} does not start`);
    await pause(20);
  }
  const ready = seconds();
  // npm and all that it has started.
  process.kill(-(demo.pid ?? 0));
  await ended;
  cloned.remove();
  return ready;
}
