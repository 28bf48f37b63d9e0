import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Every hostile value in every place that reads values, over each kind of database; `npm test` sends some of them. */
const { status } = spawnSync(
  process.execPath,
  [fileURLToPath(new URL('../run.js', import.meta.url)), 'security/hostile'],
  { stdio: 'inherit', env: { ...process.env, HOSTILE_VALUES: 'all' } },
);
process.exitCode = status ?? 1;
