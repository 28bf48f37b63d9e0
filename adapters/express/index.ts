export type { Express } from 'express';
export {
  type AppOptions,
  alsoBelowPublicUrl,
  createApp,
  type ReadinessCheck,
  type WithDeadline,
} from './app.js';
export { pageLinks } from './links.js';
export type { Logger } from './logger.js';
export { createPages, type PagesOptions } from './pages/create-pages.js';
export { createHttpServer, type HttpServer } from './server.js';
export { sendFile } from './stream.js';
