// Copies the files of Swagger UI that pages load into dist, with their licenses. Its package is needed for the build only:
// what it installs with itself reports each installation to a third party.
import { copyFileSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const target = new URL('./dist/swagger-ui/', import.meta.url);
mkdirSync(target, { recursive: true });
for (const name of [
  ...['swagger-ui-bundle.js', 'swagger-ui.css'],
  ...['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'],
])
  copyFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)), new URL(name, target));
