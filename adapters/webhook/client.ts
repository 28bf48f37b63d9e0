import got from 'got';

/** Nothing that got does by itself: the request goes out once, as it is, to where it was sent. */
export const client = got.extend({
  method: 'POST',
  followRedirect: false,
  throwHttpErrors: false,
  decompress: false,
  retry: { limit: 0 },
  enableUnixSockets: false,
});
