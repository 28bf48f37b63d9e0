import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { type BillOfMaterials, billOfMaterials } from '../support/bill-of-materials.js';
import { manifestOf, packageFolders } from '../support/packed-packages.js';
import { root } from '../support/packing.js';

interface Lock {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly name?: string;
        readonly version?: string;
        readonly dev?: boolean;
        readonly devOptional?: boolean;
        readonly link?: boolean;
      }
    >
  >;
}

describe('The bill of materials', () => {
  let bill: BillOfMaterials;
  let refs: ReadonlySet<string>;
  before(() => {
    bill = billOfMaterials();
    refs = new Set(bill.components.map((component) => component['bom-ref']));
  });

  test('names every package that production installs on any platform, and no tools', (t) => {
    t.diagnostic(`${bill.components.length} components`);
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
    const wanted = Object.entries(packages)
      .filter(([path, { dev, link }]) => path !== '' && dev !== true && link !== true)
      .map(([path, { name, version }]) => `${name ?? path.replace(/^.*node_modules\//, '')}@${version}`);
    assert.ok(wanted.length > 150);
    assert.deepEqual(
      wanted.filter((each) => !refs.has(each)),
      [],
    );
    assert.ok(![...refs].some((each) => /^(typescript|esbuild|playwright-core)@/.test(each)));
  });

  test('names every package inside the bundle of the command line', () => {
    const licenses = readFileSync(join(root, 'app', 'dist', 'bundle', 'LICENSES.txt'), 'utf8');
    const inside = [...licenses.matchAll(/^(\S+) (\d\S*): /gm)].map(
      ([, name, version]) => `${name}@${version}`,
    );
    assert.ok(inside.some((each) => each.startsWith('commander@')));
    assert.deepEqual(
      inside.filter((each) => !refs.has(each)),
      [],
    );
  });

  test('names what the manifests need', () => {
    const names = new Set(bill.components.map(({ name }) => name));
    for (const { name, dependencies = {}, optionalDependencies = {} } of packageFolders.map(manifestOf)) {
      const needed = [name, ...Object.keys(dependencies), ...Object.keys(optionalDependencies)];
      assert.deepEqual(
        needed.filter((one) => !names.has(one)),
        [],
        name,
      );
    }
  });

  test('gives each package a version, a package URL and a license', () => {
    for (const { name, version, purl, licenses = [] } of bill.components) {
      assert.match(version, /^\d+\.\d+\.\d+/, name);
      assert.equal(decodeURIComponent(purl).split('?')[0], `pkg:npm/${name}@${version}`);
      const [first] = licenses;
      assert.ok((first?.license?.id ?? first?.license?.name ?? first?.expression ?? '') !== '', name);
    }
  });

  test('contains no path of the machine that made it', () => {
    const text = JSON.stringify(bill);
    assert.equal(bill.metadata.component.name, 'rollcall');
    for (const path of [root, tmpdir(), homedir()].filter((one) => one.length > 1))
      assert.ok(!text.includes(path), path);
    assert.doesNotMatch(text, /file:\/|"\/|[A-Z]:\\/);
  });
});
