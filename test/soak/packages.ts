import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packClone } from '../support/cloned-packages.js';
import { entriesOf, manifestOf, packageFolders } from '../support/packed-packages.js';
import { root, runProgram } from '../support/packing.js';

/**
 * Builds and packs every package in a clone that was never built, compares them with this folder, and checks them with
 * publint and attw, which it fetches: `npm run test:soak -- packages`.
 */
const tools = mkdtempSync(join(tmpdir(), 'rollcall-tools-'));
runProgram('npm', ['install', '--prefix', tools, 'publint@0.3.25', '@arethetypeswrong/core@0.18.5'], tools);

interface TypesOfPackage {
  readonly problems?: readonly unknown[];
  readonly entrypoints?: object;
}

/** A part of attw. Its command would load TypeScript again for each package. */
const { checkPackage, createPackageFromTarballData } = (await import(
  pathToFileURL(join(tools, 'node_modules/@arethetypeswrong/core/dist/index.js')).href
)) as {
  createPackageFromTarballData(tarball: Uint8Array): unknown;
  checkPackage(packed: unknown, options: { readonly entrypoints: string[] }): Promise<TypesOfPackage>;
};

const clone = packClone(packageFolders);
try {
  const problems = clone.differences().map((one) => `differs: ${one}`);
  for (const folder of packageFolders) {
    const manifest = manifestOf(folder);
    const packed = clone.built.find(({ name }) => name === manifest.name);
    if (packed === undefined) {
      problems.push(`${manifest.name} was not built`);
      continue;
    }
    process.stdout.write(`${packed.name}: ${packed.integrity}\n`);
    const publint = runProgram(
      process.execPath,
      [join(tools, 'node_modules/publint/src/cli.js'), 'run', packed.tarball, '--strict'],
      root,
    );
    if (!publint.includes('All good')) problems.push(`publint, ${packed.name}: ${publint}`);
    const entrypoints = [...entriesOf(manifest)];
    const types = await checkPackage(createPackageFromTarballData(readFileSync(packed.tarball)), {
      entrypoints,
    });
    if (types.problems === undefined) problems.push(`attw finds no types in ${packed.name}`);
    else if (types.problems.length > 0 || Object.keys(types.entrypoints ?? {}).join() !== entrypoints.join())
      problems.push(`attw, ${packed.name}: ${JSON.stringify(types.problems)}`);
  }
  process.stdout.write(problems.map((one) => `${one}\n`).join(''));
  if (problems.length > 0) process.exitCode = 1;
} finally {
  clone.remove();
  rmSync(tools, { recursive: true, force: true });
}
