import assert from 'node:assert/strict';
import { readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sqliteDriverPackage } from '#adapters/sql/index.js';
import { buildImage, type Image, readDockerfile, tryImage } from '../support/image.js';
import { startPostgresDatabase } from '../support/postgres.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('The image of the Dockerfile', () => {
  let image: Image;
  before(async () => {
    image = await buildImage({ how: 'copy' });
  });
  after(() => image.remove());

  test('serves with production dependencies only, is healthy, and exits on SIGTERM', async () => {
    const packages = readdirSync(join(image.root, 'rollcall', 'node_modules'));
    assert.ok(packages.includes('express'));
    assert.ok(!packages.includes('typescript') && !packages.includes('playwright-core'));
    const before = pathsIn(image.root);
    const folders = readdirSync(join(image.root, 'rollcall')).filter((name) => name !== 'package.json');
    assert.deepEqual(folders.sort(), ['adapters', 'app', 'contracts', 'core', 'node_modules']);
    await tryImage(image);
    const suffixes = ['', '.deployment', '.key', '.lock', '.news'];
    // The file system of the image can be read-only, except for the volume. What Node has compiled is kept only where it is not.
    assert.deepEqual(
      pathsIn(image.root).filter((path) => !before.includes(path) && !path.includes('/bundle/compiled')),
      suffixes.map((suffix) => `data/rollcall.db${suffix}`),
    );
  });

  test('explains what to do if the SQLite driver is missing, and still serves PostgreSQL', async () => {
    const driver = join(image.root, 'rollcall', 'node_modules', sqliteDriverPackage(process.versions.node));
    renameSync(driver, join(image.root, 'driver'));
    const postgres = await startPostgresDatabase();
    try {
      const { code, signal, stderr } = await image.run().ended;
      assert.match(stderr, /^The driver for SQLite .* run "npm ci .* Or use PostgreSQL\.$/m);
      assert.doesNotMatch(stderr, /should not have happened|Require stack/);
      assert.deepEqual([code, signal], [2, null]);
      await tryImage(image, { DATABASE_URL: postgres.url, SECRET_KEY: 'k'.repeat(43) });
    } finally {
      await postgres.stop();
      renameSync(join(image.root, 'driver'), driver);
    }
  });
});

function pathsIn(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
}

describe('The Dockerfile', () => {
  const [build, image] = readDockerfile();
  const named = (wanted: string): readonly string[] =>
    image?.instructions.filter(({ name }) => name === wanted).map(({ text }) => text) ?? [];
  const [user = ''] = named('USER');

  test('takes both base images by digest, with one line of Node that has long-term support', () => {
    const [, built] = /^node:(\d+)\.\d+\.\d+-trixie-slim@sha256:[0-9a-f]{64}$/.exec(build?.base ?? '') ?? [];
    const [, serving] =
      /^gcr\.io\/distroless\/nodejs(\d+)-debian13:nonroot@sha256:[0-9a-f]{64}$/.exec(image?.base ?? '') ?? [];
    assert.ok(built !== undefined && serving !== undefined, `${build?.base} ${image?.base}`);
    assert.equal(built, serving);
    assert.equal(Number(built) % 2, 0, 'odd lines of Node have no long-term support');
  });

  test('needs no shell in the image that it makes', () => {
    assert.deepEqual(named('RUN'), []);
    const commands = [...named('ENTRYPOINT'), ...named('CMD'), ...named('HEALTHCHECK')];
    assert.equal(commands.length, 3);
    for (const command of commands) assert.match(command, /^(?:--\S+ CMD )?\["/);
  });

  test('runs the service as an ordinary user, by number, who owns nothing except the volume', () => {
    const [, uid, gid] = /^(\d+):(\d+)$/.exec(user) ?? [];
    assert.ok(Number(uid) > 0 && Number(gid) > 0, user);
    assert.deepEqual(
      named('COPY').filter((text) => text.includes('--ch')),
      [`--from=build --chown=${user} /rollcall/data ${named('VOLUME')[0]}`],
    );
  });

  test('starts Node with the options of npm start and the systemd unit', () => {
    const options = ['--v8-pool-size=0', '--max-semi-space-size=4'];
    const [, ...entry] = JSON.parse(named('ENTRYPOINT')[0] ?? '');
    assert.deepEqual(entry.slice(0, -1), options);
    // What Node compiles is found again only with the same user, options and place.
    const [runAs, compile] = build?.instructions.slice(-3) ?? [];
    assert.equal(`${runAs?.name} ${runAs?.text}`, `USER ${user}`);
    assert.match(
      compile?.text ?? '',
      new RegExp(` node ${entry.join(' ')} ${JSON.parse(named('CMD')[0] ?? '')[0]}$`),
    );
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    assert.match(scripts.start, new RegExp(`^node ${options.join(' ')} `));
    const guide = readFileSync(join(root, 'contracts/operating.md'), 'utf8');
    assert.match(guide, new RegExp(`^ExecStart=/usr/bin/node ${options.join(' ')} `, 'm'));
  });

  test('has the user that kubernetes.yaml names', () => {
    const manifest = readFileSync(join(root, 'contracts/kubernetes.yaml'), 'utf8');
    const users = [...manifest.matchAll(/runAsUser: (\d+)/g)].map(([, uid]) => `${uid}:${uid}`);
    assert.deepEqual(users, [user, user]);
  });

  test('is run with a read-only file system in operating.md', () => {
    const guide = readFileSync(join(root, 'contracts/operating.md'), 'utf8');
    const [command = ''] = /^docker run (?:.*\\\n)*.*$/m.exec(guide) ?? [];
    for (const option of ['--read-only', '--cap-drop ALL', '--security-opt no-new-privileges'])
      assert.ok(command.includes(option), option);
    assert.ok(command.includes(` -v rollcall:${named('VOLUME')[0]} `), command);
  });
});
