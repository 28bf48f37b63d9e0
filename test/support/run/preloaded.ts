/** Preloaded into every process of a test run, also into the product's. */
import './fresh-connections.js';

const isTestFile = /\.test\.js$|[\\/]groups[\\/][^\\/]+\.js$/.test(process.argv[1] ?? '');
if (isTestFile) {
  await import('./cheap-awaits.js');
  // A warning of a library, about what it will no longer support, is an error.
  process.throwDeprecation = true;
}
