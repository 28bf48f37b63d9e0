import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { isClosing } from './close-soon.js';

/** The property in which Node's server keeps a connection's parser, which hands out requests. */
interface Parsed {
  readonly parser?: { onIncoming?: unknown } | null;
}

/** To the parser this means "an upgrade: what follows is not HTTP", so it stops. */
const STOP_PARSING = 2;

/**
 * Makes the parser stop as soon as its connection will be closed. Otherwise it would hand out every other request that
 * was read together with the last one: thousands if the client pipelines. A version of Node without this property does
 * that.
 */
export function stopParsingWhenClosing(socket: Duplex): void {
  const { parser } = socket as Parsed;
  const next = parser?.onIncoming;
  if (!parser || typeof next !== 'function') return;
  parser.onIncoming = (
    request: IncomingMessage & { upgrade?: boolean },
    shouldKeepAlive: boolean,
  ): unknown => {
    if (!isClosing(socket)) return next(request, shouldKeepAlive);
    request.upgrade = false;
    return STOP_PARSING;
  };
}
