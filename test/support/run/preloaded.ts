/** Preloaded into every process of a test run, also into the product's. */
import './fresh-connections.js';

const isTestFile = /\.test\.js$|[\\/]groups[\\/][^\\/]+\.js$/.test(process.argv[1] ?? '');
if (isTestFile) {
  await import('./cheap-awaits.js');
  // What a library will stop to support is an error.
  process.throwDeprecation = true;
}
