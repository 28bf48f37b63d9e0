import { packClone } from '../support/cloned-packages.js';
import { packageFolders } from '../support/packed-packages.js';

/** Builds and packs every package in a clone that was never built, and compares them with this folder: `npm run test:soak -- packages`. */
const clone = packClone(packageFolders);
try {
  const differences = clone.differences();
  for (const { name, integrity } of clone.built) process.stdout.write(`${name}: ${integrity}\n`);
  process.stdout.write(differences.map((one) => `differs: ${one}\n`).join(''));
  if (differences.length > 0 || clone.built.length !== packageFolders.length) process.exitCode = 1;
} finally {
  clone.remove();
}
