// Makes what `require` gets of each package in the folders that are named: one line that gives the ES modules themselves, so that
// there is one `Refusal` however the core was loaded, and the declarations once more, because TypeScript knows those beside ES
// modules for `import` only. In the package.json, `main` and `typesVersions` are for TypeScript's `node10`, which ignores `exports`.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

for (const folder of process.argv.slice(2)) {
  const target = join(folder, 'dist', 'commonjs');
  rmSync(target, { recursive: true, force: true });
  for (const file of readdirSync(join(folder, 'dist'), { recursive: true }))
    if (file.endsWith('.d.ts')) cpSync(join(folder, 'dist', file), join(target, file));
  writeFileSync(join(target, 'package.json'), '{ "type": "commonjs" }\n');
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  for (const { require: entry, default: other, node: module = other } of Object.values(exports))
    if (entry !== undefined)
      writeFileSync(
        join(folder, entry),
        `module.exports = require('${relative(dirname(entry), module)}');\n`,
      );
}
