import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { processEnvironment } from './config.js';
import { revisionFile } from './version.js';

/**
 * Run by `npm run build`: writes the commit from `REVISION`, or else from git. Changes that are not committed show as
 * `+`. Without both, the revision stays unknown.
 */
const git = (...parameters: readonly string[]): string | null => {
  const { status, stdout } = spawnSync('git', parameters, { encoding: 'utf8', cwd: import.meta.dirname });
  return status === 0 ? stdout.trim() : null;
};

function fromGit(): string | null {
  const commit = git('rev-parse', 'HEAD');
  const isChanged = git('status', '--porcelain', '--untracked-files=no') !== '';
  return commit === null ? null : `${commit.slice(0, 12)}${isChanged ? '+' : ''}`;
}

const given = /^[0-9a-f]{7,40}\+?$/.exec(processEnvironment.REVISION ?? '')?.[0].slice(0, 12);
const found = given ?? fromGit();
if (found === null) rmSync(revisionFile, { force: true });
else writeFileSync(revisionFile, `${found}\n`);
