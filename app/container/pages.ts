import { openapi } from '@rollcall/contracts';
import { createPages, sendFile } from '@rollcall/express';
import { type Bindings, provide } from './bindings.js';

export const pagesModule = {
  pagesOptions: provide(
    ['core', 'config', 'formTokens', 'browserCipher', 'errorTracker', 'visitCounts', 'isMounted', 'mailer'],
    ({ config, visitCounts, mailer, ...options }) => ({
      ...options,
      sendsMail: mailer !== null,
      sendFile,
      publicUrl: config.publicUrl,
      serviceName: config.serviceName,
      brand: config.brand,
      defaultTimeZone: config.reportingTimeZone,
      visits: { limits: visitCounts, pagesPerMinute: config.pageLimit, feedsPerMinute: config.feedLimit },
      openapi: openapi(),
    }),
  ),
  pages: provide(['pagesOptions'], ({ pagesOptions }) => createPages(pagesOptions)),
} satisfies Bindings;
