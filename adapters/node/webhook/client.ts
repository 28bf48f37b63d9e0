import got from 'got';

/** Loaded with the client, because only deliveries and sign-on need it. */
export { request as httpsRequest } from 'node:https';

// Written like this, because got is an ES module, for TypeScript also where it reads our declarations for `require`.
type Client = import('got', { with: { 'resolution-mode': 'import' }}).Got;

/** got without its automatic features: sends each request once, unchanged, and only to its own URL. */
export const client: Client = got.extend({
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
