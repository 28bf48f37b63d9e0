import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { buildImage, readDockerfile, tryImage } from '../support/image.js';

describe('The image of the Dockerfile', () => {
  test('serves with what production needs and nothing else, is healthy, and ends on SIGTERM', async () => {
    const image = await buildImage({ how: 'copy' });
    try {
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
    } finally {
      image.remove();
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
