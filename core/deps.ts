import type { Ports } from './ports.js';
import type { Settings } from './settings.js';

/** Everything around the core; a use-case names the parts it uses and gets nothing else. */
export interface Deps extends Ports {
  readonly settings: Settings;
}
