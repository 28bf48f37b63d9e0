import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Runs every soak program, or those whose names contain one of the arguments, one after the other: `npm run test:soak`,
 * `npm run test:soak -- exports plans`. The simulation takes a range of seeds: `simulation 20001-10000000`. A program that
 * fails or takes too long does not stop the others. The summary names it.
 */
interface Program {
  readonly name: string;
  readonly args?: readonly string[];
  readonly maxMinutes: number;
}

const programs: readonly Program[] = [
  { name: 'faults', maxMinutes: 40 },
  { name: 'instances', maxMinutes: 30 },
  { name: 'failover', maxMinutes: 75 },
  { name: 'deliveries', maxMinutes: 20 },
  { name: 'event-feed', maxMinutes: 31 },
  { name: 'meeting-changes', maxMinutes: 31 },
  { name: 'rotation', maxMinutes: 20 },
  { name: 'simulation', args: process.argv.slice(2).filter(isRange), maxMinutes: 250 },
  { name: 'state-machine', maxMinutes: 20 },
  { name: 'mutation', maxMinutes: 40 },
  { name: 'histories', maxMinutes: 20 },
  { name: 'hostile-values', maxMinutes: 15 },
  { name: 'slow-clients', maxMinutes: 15 },
  { name: 'pipelined-flood', maxMinutes: 10 },
  { name: 'heavy-answers', maxMinutes: 15 },
  { name: 'import-scale', maxMinutes: 20 },
  { name: 'directory', maxMinutes: 10 },
  { name: 'migrate', maxMinutes: 20 },
  { name: 'scale', maxMinutes: 60 },
  { name: 'exports', maxMinutes: 20 },
  { name: 'restore', maxMinutes: 10 },
  { name: 'proxies', maxMinutes: 10 },
  { name: 'image', maxMinutes: 15 },
  { name: 'packages', maxMinutes: 5 },
  { name: 'query-plans', maxMinutes: 30 },
  { name: 'guide-examples', maxMinutes: 10 },
  { name: 'runtimes', maxMinutes: 15 },
  { name: 'node-versions', args: ['--tests', '22', '24', '26'], maxMinutes: 90 },
];

const wanted = process.argv.slice(2).filter((word) => !isRange(word));

function isRange(word: string): boolean {
  return /^\d+-\d+$/.test(word);
}

const chosen = programs.filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
);

interface Ended extends Program {
  readonly minutes: number;
  /** Null if it took too long and was killed. */
  readonly exitCode: number | null;
}

async function runProgram(program: Program): Promise<Ended> {
  const started = performance.now();
  process.stdout.write(`\n== ${program.name}\n`);
  const path = fileURLToPath(new URL(`./${program.name}.js`, import.meta.url));
  const args = [path, ...(program.args ?? [])];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  const tooLong = setTimeout(() => child.kill('SIGKILL'), program.maxMinutes * 60_000);
  const [exitCode] = (await once(child, 'exit')) as [number | null];
  clearTimeout(tooLong);
  return { ...program, minutes: (performance.now() - started) / 60_000, exitCode };
}

if (chosen.length === 0) {
  process.stderr.write(
    `No soak program is named ${wanted.join(' or ')}: ${programs.map(({ name }) => name).join(', ')}\n`,
  );
  process.exitCode = 2;
}
const ended: Ended[] = [];
for (const program of chosen) ended.push(await runProgram(program));
process.stdout.write('\n== summary\n');
for (const { name, minutes, exitCode } of ended) {
  const result =
    exitCode === 0 ? 'passed' : exitCode === null ? 'took too long' : `failed, exit code ${exitCode}`;
  process.stdout.write(`${name}: ${result} (${minutes.toFixed(1)} min)\n`);
  if (exitCode !== 0) process.exitCode = 1;
}
