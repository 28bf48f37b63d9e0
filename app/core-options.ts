import type { CoreOptions } from '@rollcall/core';
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
    links: {
      invitation: (token) => `${publicUrl}/invitations/${token.reveal()}`,
      login: (token) => `${publicUrl}/login/${token.reveal()}`,
      calendar: (token) => `${publicUrl}/calendar/${token.reveal()}.ics`,
      defaultAvatar: `${publicUrl}/assets/default-avatar.svg`,
    },
  };
}
