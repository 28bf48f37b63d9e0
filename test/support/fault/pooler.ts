import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PgBouncer, startPgBouncer } from '../pgbouncer.js';
import { startPostgresServer } from '../postgres-server.js';
import { filesAt, listTestFiles } from '../run/test-files.js';
import type { FaultReport } from './audit.js';

/**
 * Runs the test files whose paths contain one of the parts, over PostgreSQL behind PgBouncer, which lends a connection
 * for one transaction.
 */
export async function testThroughPooler(
  parts: readonly string[],
  { timeoutMs }: { readonly timeoutMs: number },
): Promise<FaultReport> {
  const server = await startPostgresServer();
  let pooler: PgBouncer | null = null;
  try {
    pooler = await startPgBouncer(server.url());
    return await runTests({ server: server.url(), pooler: pooler.url(), parts, timeoutMs });
  } finally {
    await pooler?.remove();
    await server.remove();
  }
}

interface RunTests {
  readonly server: string;
  readonly pooler: string;
  readonly parts: readonly string[];
  readonly timeoutMs: number;
}

async function runTests({ server, pooler, parts, timeoutMs }: RunTests): Promise<FaultReport> {
  const compiled = fileURLToPath(new URL('../../', import.meta.url));
  const files = filesAt(listTestFiles(join(compiled, '..')), parts);
  if (files.length < parts.length)
    throw new Error(`of ${parts.join(', ')} there are only ${files.join(', ')}`);
  const paths = files.map((file) => join(compiled, file.replace(/\.tsx?$/, '.js')));
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap', ...paths], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TEST_POSTGRES_URL: server, TEST_POSTGRES_POOLER_URL: pooler },
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  const count = (name: string): number =>
    Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(output)?.[1] ?? 0);
  const failed = output.split('\n').filter((line) => /^\s*not ok /.test(line));
  const passed = count('pass');
  const problems = code === 0 && passed > 0 ? [] : [`the tests ended with ${code}`, ...failed];
  return { counts: { passed, failed: count('fail') }, problems };
}
