import got from 'got';

/** got without its automatic features: sends each request once, unchanged, and only to its own URL. */
export const client = got.extend({
  method: 'POST',
  followRedirect: false,
  throwHttpErrors: false,
  decompress: false,
  retry: { limit: 0 },
  enableUnixSockets: false,
  // Each request uses a new connection and TLS session, and no proxy from the environment.
  agent: { https: false },
  // Certificates are checked even with NODE_TLS_REJECT_UNAUTHORIZED=0.
  https: { rejectUnauthorized: true },
});
