import type { CoreOptions } from '@rollcall/core';
import { pageLinks } from '@rollcall/express/links';
import type { Config } from './config.js';

/** The core's options, from the configuration. */
export function coreOptions({
  publicUrl,
  serviceName,
  reportingTimeZone,
  failedAuthenticateLimit,
  webhookFailureNotice,
}: Config): CoreOptions {
  return {
    serviceName,
    reportingTimeZone,
    failedAuthenticateLimit,
    webhookFailureNotice,
    links: pageLinks(publicUrl),
  };
}
