import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Preloaded into a process, it collects garbage twice a second: what native code does wrong when it is, shows soon. */
const EVERY_MS = 500;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
setInterval(collect, EVERY_MS).unref();
