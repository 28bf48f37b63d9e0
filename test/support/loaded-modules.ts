import { appendFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';

/** Preloaded into a process, it writes which modules the process loads to the file that `LOADED_MODULES` names. */
register('./loaded-modules-hook.js', import.meta.url);

process.on('exit', () => {
  const files = Object.keys(createRequire(import.meta.url).cache);
  appendFileSync(process.env.LOADED_MODULES ?? '', files.map((file) => `${file}\n`).join(''));
});
