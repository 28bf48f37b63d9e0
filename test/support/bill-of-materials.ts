import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from './app-cli.js';
import { packageFolders } from './packed-packages.js';
import { root, runProgram } from './packing.js';

/**
 * Writes what a production installation consists of, on all platforms, with what is inside the bundle of the command line,
 * as a bill of materials in CycloneDX:
 *
 *     node test/dist/support/bill-of-materials.js sbom.json
 *
 * npm makes it, from package-lock.json. `--omit dev` also leaves out every package that production and the tests have
 * in common (npm/cli#7909), so npm gets the manifests and the lock file without the development dependencies. npm
 * writes the licenses of old manifests, the names of workspaces and the paths of local packages in a way that says
 * nothing elsewhere; these are completed.
 */
export interface BillOfMaterials {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
}

export interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly {
    readonly license?: { readonly id?: string; readonly name?: string };
    readonly expression?: string;
  }[];
}

type Versions = Readonly<Record<string, string>>;

interface Manifest {
  readonly dependencies?: Versions;
  readonly peerDependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly dev?: boolean;
}

interface Lock {
  readonly packages: Readonly<Record<string, Manifest>>;
}

export function billOfMaterials(): BillOfMaterials {
  const { path: folder, remove } = temporaryDirectory();
  try {
    // npm names the product after its folder.
    const copy = join(folder, 'rollcall');
    copyProduction(copy);
    const text = runProgram('npm', [...COMMAND, '--cache', join(folder, '.cache')], copy);
    const found = JSON.parse(text.replaceAll(`file:${copy}/`, 'file:')) as BillOfMaterials;
    return { ...found, components: found.components.map(completed) };
  } finally {
    remove();
  }
}

const COMMAND = [
  'sbom',
  ...['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--omit', 'dev', '--package-lock-only'],
  ...['--loglevel', 'error', '--offline'],
];

/** Without development dependencies, except those of the command line: they are inside its bundle. */
function asInstalled(source: string, { devDependencies, ...manifest }: Manifest): Manifest {
  if (source !== 'app') return manifest;
  return {
    ...manifest,
    dependencies: { ...manifest.dependencies, ...manifest.peerDependencies, ...devDependencies },
  };
}

function copyProduction(copy: string): void {
  for (const source of ['', ...packageFolders]) {
    const manifest = asInstalled(source, read(join(root, source, 'package.json')));
    mkdirSync(join(copy, source), { recursive: true });
    writeFileSync(join(copy, source, 'package.json'), JSON.stringify(manifest));
  }
  cpSync(join(root, '.npmrc'), join(copy, '.npmrc'));
  const local = join('adapters', 'sql', 'node20', 'package.json');
  mkdirSync(dirname(join(copy, local)));
  cpSync(join(root, local), join(copy, local));
  const lock = read<Lock>(join(root, 'package-lock.json'));
  const bundled = neededBy(lock, Object.keys(asInstalled('app', lock.packages.app ?? {}).dependencies ?? {}));
  const kept = Object.entries(lock.packages)
    .filter(([path, { dev }]) => dev !== true || bundled.has(nameOf(path)))
    .map(([path, { dev, ...entry }]) => [path, asInstalled(path, entry)]);
  writeFileSync(
    join(copy, 'package-lock.json'),
    JSON.stringify({ ...lock, packages: Object.fromEntries(kept) }),
  );
}

/** The names of these packages, and of those that they need. */
function neededBy({ packages }: Lock, names: readonly string[]): ReadonlySet<string> {
  const needed = new Set(names);
  for (const name of needed) {
    for (const [path, { dependencies = {} }] of Object.entries(packages))
      if (nameOf(path) === name) for (const one of Object.keys(dependencies)) needed.add(one);
  }
  return needed;
}

function nameOf(path: string): string {
  return path.replace(/^.*node_modules\//, '');
}

function completed(component: Component): Component {
  const name = component['bom-ref'].slice(0, component['bom-ref'].lastIndexOf('@'));
  if ((component.licenses ?? []).length > 0) return { ...component, name };
  const { licenses = [] } = read<{ readonly licenses?: readonly { readonly type: string }[] }>(
    join(root, 'node_modules', name, 'package.json'),
  );
  return { ...component, name, licenses: licenses.map(({ type }) => ({ license: { id: type } })) };
}

function read<Content>(path: string): Content {
  return JSON.parse(readFileSync(path, 'utf8')) as Content;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , file] = process.argv;
  if (file === undefined) throw new Error('Name the file to write.');
  writeFileSync(file, `${JSON.stringify(billOfMaterials(), null, 2)}\n`);
}
