import got from 'got';

/** Nothing that got does by itself: the request goes out once, as it is, to where it was sent. */
export const client = got.extend({
  method: 'POST',
  followRedirect: false,
  throwHttpErrors: false,
  decompress: false,
  retry: { limit: 0 },
  enableUnixSockets: false,
  // A new connection and TLS session for each request, and no proxy of the environment.
  agent: { https: false },
  // Also with NODE_TLS_REJECT_UNAUTHORIZED=0.
  https: { rejectUnauthorized: true },
});
