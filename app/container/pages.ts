import { openapi } from '@rollcall/contracts';
import { createPages, sendFile } from '@rollcall/express';
import { type Bindings, provide } from './bindings.js';

export const pagesModule = {
  pagesOptions: provide(
    ['core', 'config', 'formTokens', 'receiverCheck', 'errorTracker', 'visitCounts', 'isMounted'],
    ({ config, receiverCheck, visitCounts, ...options }) => ({
      ...options,
      sendFile,
      checkReceiver: receiverCheck,
      publicUrl: config.publicUrl,
      serviceName: config.serviceName,
      defaultTimeZone: config.reportingTimeZone,
      visits: { limits: visitCounts, pagesPerMinute: config.pageLimit, feedsPerMinute: config.feedLimit },
      openapi: openapi(),
    }),
  ),
  pages: provide(['pagesOptions'], ({ pagesOptions }) => createPages(pagesOptions)),
} satisfies Bindings;
