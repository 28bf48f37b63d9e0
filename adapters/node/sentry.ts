export { checkSentryDsn } from './system/sentry-dsn.js';
export { sentryErrorTracker } from './system/sentry-error-tracker.js';
