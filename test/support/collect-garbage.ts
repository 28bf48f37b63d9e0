import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * A module to preload. It collects garbage twice a second, so that faults of native code during collection show soon.
 */
const INTERVAL_MS = 500;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
setInterval(collect, INTERVAL_MS).unref();
