import type { CoreOptions, Settings } from '@rollcall/core';
import { pageLinks } from '@rollcall/express/links';
import type { Config } from './config.js';

/** The core's options. It takes its settings out of the configuration. */
export function coreOptions(config: Config): CoreOptions {
  return { ...(config satisfies Settings), links: pageLinks(config.publicUrl) };
}
