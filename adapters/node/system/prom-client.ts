import { createRequire } from 'node:module';

const requireHere = createRequire(import.meta.url);

/** Loaded with the first metric, because commands of the command line have no metrics. */
export function promClient(): typeof import('prom-client') {
  return requireHere('prom-client');
}
