import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sqliteDriverPackage } from '#adapters/sql/index.js';
import type { PackedPackages } from '../support/packed-packages.js';
import { packagingSuite } from './packaging.js';
import { readmeSuite } from './readme.js';

/** Tests the core in a project with no other package of ours. */
export function coreAloneSuite(packed: PackedPackages): void {
  // What the programs of the README use beside the core.
  for (const name of ['@types/better-sqlite3', '@types/node', 'undici-types']) packed.link(name);
  packed.link('better-sqlite3', sqliteDriverPackage(process.versions.node));

  test('a stack trace names the TypeScript source with --enable-source-maps', () => {
    const script = `
      import { createCore } from '@rollcall/core';
      import { memoryPorts } from '@rollcall/core/testing';
      const links = { invitation: () => '', login: () => '', defaultAvatar: '' };
      const core = createCore(memoryPorts().ports, { links });
      await core.authorize({ token: null, organizationId: '1' }).catch((error) => process.stdout.write(error.stack));`;
    const file = packed.write('trace.mjs', script);
    assert.match(packed.run(['--enable-source-maps', file]), /core\/access\/authorize\.ts:\d+/);
  });

  packagingSuite(packed);
  readmeSuite(packed);
}
