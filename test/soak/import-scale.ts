import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sampleUuid } from '#app/sample/sample-uuid.js';
import { postJson, tokenOf } from '../support/api.js';
import { freePort, rollcall, run, start, temporaryDirectory } from '../support/app-cli.js';
import { memoryOf } from '../support/process-memory.js';

/**
 * Imports a large dataset into a database that is being served, and measures the speed, the memory, and how long the
 * server's readers and writers wait meanwhile. As a program:
 * `node test/dist/soak/import-scale.js [meetings] [registrations]`.
 */

export interface ImportScale {
  readonly meetings: number;
  readonly registrations: number;
}

export interface ImportScaleReport {
  readonly exitCode: number | null;
  readonly stderr: string;
  readonly records: number;
  readonly seconds: number;
  readonly recordsPerSecond: number;
  /** Seconds in which the server could not write. */
  readonly applySeconds: number;
  /** Of the importing process. */
  readonly cpuSeconds: number;
  readonly peakRssMiB: number;
  readonly reads: Answers;
  readonly writes: Answers;
}

export interface Answers {
  /** How often each status was answered. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Milliseconds. */
  readonly maxMs: number;
}

const accessKey = '1'.repeat(24);
const people = `{"kind":"organization","id":1,"name":"Trial","eap":true,"access_key":"${accessKey}"}
{"kind":"user","id":1,"uuid":"${sampleUuid(1)}","email":"first@trial.test","first_name":"A","last_name":"B"}
{"kind":"membership","organization_id":1,"user_id":1,"role":"member","idp_id":"idp-1"}
`;

/** Imports a sample of that size into a served database, and sends requests to the server all the time. */
export async function measureImport(scale: ImportScale): Promise<ImportScaleReport> {
  const directory = temporaryDirectory();
  const cwd = directory.path;
  const port = await freePort();
  try {
    const { code, stderr } = await run(['import', '-'], { cwd, input: people });
    if (code !== 0) throw new Error(stderr);
    const server = start(['serve'], { cwd, env: { PORT: String(port), LOG_LEVEL: 'info' } });
    try {
      await server.see(/"msg":"Listening"/);
      return await measure(scale, { cwd, port });
    } finally {
      await server.stop();
    }
  } finally {
    directory.remove();
  }
}

async function measure(
  scale: ImportScale,
  { cwd, port }: { readonly cwd: string; readonly port: number },
): Promise<ImportScaleReport> {
  const address = `http://127.0.0.1:${port}`;
  const api = `${address}/api/v2`;
  const token = await tokenOf(address, accessKey);
  const headers = { Authorization: `Bearer ${token}` };

  const ended = new AbortController();
  const reads = keepAsking(ended.signal, 20, () =>
    fetch(`${api}/organizations/1/export_meetings?column=name&page=1&per_page=1&preset=today`, { headers }),
  );
  const writes = keepAsking(ended.signal, 20, (count) => {
    const invited = { email: `new-${count}@trial.test`, first_name: 'N', last_name: 'N' };
    return postJson(`${api}/organizations/1/invite_user`, invited, token);
  });
  const imported = await importSample(scale, cwd);
  ended.abort();
  return { ...imported, reads: await reads, writes: await writes };
}

/** Sends one request after the other, with a short pause between them. */
async function keepAsking(
  signal: AbortSignal,
  interval: number,
  ask: (count: number) => Promise<Response>,
): Promise<Answers> {
  const statuses: Record<string, number> = {};
  let maxMs = 0;
  for (let count = 0; !signal.aborted; count += 1) {
    const startedAt = performance.now();
    const status = await ask(count).then(
      async (response) => {
        await response.arrayBuffer();
        return String(response.status);
      },
      () => 'no answer',
    );
    maxMs = Math.max(maxMs, performance.now() - startedAt);
    statuses[status] = (statuses[status] ?? 0) + 1;
    await pause(interval);
  }
  return { statuses, maxMs: Math.round(maxMs) };
}

/** Runs `rollcall sample … | rollcall import -` and watches the importer. */
async function importSample(
  { meetings, registrations }: ImportScale,
  cwd: string,
): Promise<Omit<ImportScaleReport, 'reads' | 'writes'>> {
  const size = ['--meetings', String(meetings), '--registrations', String(registrations)];
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  const sample = spawn(process.execPath, [rollcall, 'sample', ...size], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const importer = spawn(process.execPath, [rollcall, 'import', '-', '--json'], {
    cwd,
    env,
    stdio: [sample.stdout, 'pipe', 'pipe'],
  });
  // Only the importer may hold this pipe, so that it sees the end of it.
  sample.stdout.destroy();
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    importer[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  const watched = watch(importer);
  const [exitCode] = await once(importer, 'close');
  const {
    records = 0,
    seconds = 0,
    records_per_second = 0,
    apply_seconds = 0,
  } = texts.stdout ? JSON.parse(texts.stdout) : {};
  const { stderr } = texts;
  return {
    exitCode,
    stderr,
    records,
    seconds,
    recordsPerSecond: records_per_second,
    applySeconds: apply_seconds,
    ...(await watched),
  };
}

/** Reads the peak memory and the CPU time of a process from Linux until it ends. */
async function watch({ pid }: ChildProcess): Promise<Pick<ImportScaleReport, 'cpuSeconds' | 'peakRssMiB'>> {
  let seen = { cpuSeconds: 0, peakRssMiB: 0 };
  for (let isThere = pid !== undefined; isThere; await pause(50)) {
    try {
      const peak = memoryOf(pid, 'peak');
      const [user, system] = readFileSync(join('/proc', String(pid), 'stat'), 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')
        .slice(11, 13);
      // A process that has ended has no memory.
      if (peak === 0) return seen;
      seen = {
        peakRssMiB: Math.round(peak),
        cpuSeconds: (Number(user) + Number(system)) / 100,
      };
    } catch {
      isThere = false;
    }
  }
  return seen;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [meetings = 200_000, registrations = 1_000_000] = process.argv.slice(2).map(Number);
  const report = await measureImport({ meetings, registrations });
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  process.exitCode = report.exitCode === 0 ? 0 : 1;
}
