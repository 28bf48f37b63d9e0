import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/app-cli.js';
import { buildImage, tryImage } from '../support/image.js';

/**
 * Runs every line of the Dockerfile in a folder, both installations included, and then the result. Where a container
 * engine is running, it also builds the image and tries it with a read-only file system. Takes minutes.
 *
 *     node test/dist/soak/image.js            # both; without an engine, it says that the second part was left out
 *     node test/dist/soak/image.js --engine   # the second part only, and it fails without an engine
 */
const MAX_START_MS = 60_000;

const startedAt = performance.now();
const seconds = (): number => Math.round((performance.now() - startedAt) / 1000);
const isEngineWanted = process.argv.includes('--engine');
if (!isEngineWanted) await tryFolder();
const isEngineRunning = spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0;
if (isEngineRunning) await tryEngine();
else if (isEngineWanted) throw new Error('No container engine is running.');
else process.stdout.write('No container engine is running, so the image was not tried in a container.\n');

async function tryFolder(): Promise<void> {
  const image = await buildImage({ how: 'all' });
  try {
    await tryImage(image);
    process.stdout.write(`Built and served the image in a folder after ${seconds()} s.\n`);
  } finally {
    image.remove();
  }
}

async function tryEngine(): Promise<void> {
  const name = `rollcall-trial-${process.pid}`;
  const repository = fileURLToPath(new URL('../../../', import.meta.url));
  docker('build', '--quiet', '--tag', name, repository);
  try {
    const hasShell = spawnSync('docker', ['run', '--rm', '--entrypoint', '/bin/sh', name, '-c', 'true']);
    assert.notEqual(hasShell.status, 0, 'the image has a shell');
    assert.match(docker('image', 'inspect', '--format', '{{.Config.User}}', name), /^[1-9]\d*:[1-9]\d*\n$/);
    await serve(name);
    process.stdout.write(`Built and served the image in a container after ${seconds()} s.\n`);
  } finally {
    spawnSync('docker', ['rm', '--force', '--volumes', name]);
    spawnSync('docker', ['image', 'rm', name]);
  }
}

/** Runs the container as in operating.md, with an anonymous volume. */
async function serve(name: string): Promise<void> {
  const port = await freePort();
  const options = [
    '--read-only',
    '--tmpfs',
    '/tmp',
    '--cap-drop',
    'ALL',
    '--security-opt',
    'no-new-privileges',
  ];
  docker('run', '--detach', '--name', name, '--publish', `127.0.0.1:${port}:3000`, ...options, name);
  const end = performance.now() + MAX_START_MS;
  for (;;) {
    const status = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      (answer) => answer.status,
      () => null,
    );
    if (status === 200) break;
    if (performance.now() > end) assert.fail(docker('logs', name));
    await pause(200);
  }
  const write = `fs.writeFileSync('/rollcall/written', '')`;
  const written = spawnSync('docker', ['exec', name, '/nodejs/bin/node', '-e', write], { encoding: 'utf8' });
  assert.match(written.stderr, /EROFS/);
  docker('stop', '--time', '25', name);
  assert.equal(docker('inspect', '--format', '{{.State.ExitCode}}', name), '0\n');
}

function docker(...args: readonly string[]): string {
  return execFileSync('docker', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}
