export type { Express } from 'express';
export {
  type AppOptions,
  createApp,
  type ReadinessCheck,
  type WithDeadline,
} from './app.js';
export { type RecordError, RecordsRefused } from './errors.js';
export { pageLinks } from './links.js';
export type { Logger } from './logger.js';
export type { ImportRecords, Operations } from './operator/operations.js';
export { createOperatorApp, type OperatorAppOptions } from './operator/operator-app.js';
export { createPages, type PagesOptions } from './pages/create-pages.js';
export type { Demo, KeptMail } from './pages/demo/demo.js';
export type { Brand, BrandLogo } from './pages/design/brand.js';
export { privateHost } from './private-host.js';
export type { EndedCall } from './record-call.js';
export { createHttpServer, type HttpServer, type HttpServerOptions } from './server.js';
