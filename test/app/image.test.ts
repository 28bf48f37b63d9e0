import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { sqliteDriverPackage } from '#adapters/sql/index.js';
import { buildImage, type Image, readDockerfile, tryImage } from '../support/image.js';
import { startPostgresDatabase } from '../support/postgres.js';

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
    await tryImage(image);
    assert.deepEqual(readdirSync(join(image.root, 'data')).sort(), [
      'rollcall.db',
      'rollcall.db.deployment',
      'rollcall.db.key',
      'rollcall.db.lock',
    ]);
  });

  test('explains what to do if the SQLite driver is missing, and still serves PostgreSQL', async () => {
    const driver = join(image.root, 'rollcall', 'node_modules', sqliteDriverPackage(process.versions.node));
    renameSync(driver, join(image.root, 'driver'));
    const postgres = await startPostgresDatabase();
    try {
      const child = image.run();
      const ended = once(child, 'exit');
      assert.ok(child.stderr !== null);
      const message = await text(child.stderr);
      assert.match(message, /^The driver for SQLite .* Run "npm ci .* or use PostgreSQL\.$/m);
      assert.doesNotMatch(message, /should not have happened|Require stack/);
      assert.deepEqual(await ended, [2, null]);
      await tryImage(image, { DATABASE_URL: postgres.url, SECRET_KEY: 'k'.repeat(43) });
    } finally {
      await postgres.stop();
      renameSync(join(image.root, 'driver'), driver);
    }
  });

  test('runs as an ordinary user', () => {
    const lines =
      readDockerfile()
        .at(-1)
        ?.instructions.map(({ name, text }) => `${name} ${text}`) ?? [];
    assert.ok(lines.includes('USER node'));
    assert.ok(lines.includes('RUN mkdir /data && chown node:node /data'));
  });
});
