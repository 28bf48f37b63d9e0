import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import { MAX_UNANSWERED } from './requests-in-turn.js';

/**
 * For an application on the server of a host, which starts every request of a connection at once. Node emits no `close`
 * for queued answers when the connection closes, so their resources would leak. This emits it. A connection with too many
 * unanswered requests is closed.
 */
export function watchConnections(): RequestHandler {
  const unanswered = new WeakMap<Socket, Set<ServerResponse>>();
  return ({ socket }, response, next) => {
    let open = unanswered.get(socket);
    if (open === undefined) {
      const responses = new Set<ServerResponse>();
      open = responses;
      unanswered.set(socket, responses);
      // In the next turn, when Node has emitted the `close` of the answer that had the connection.
      socket.once('close', () => setImmediate(() => closeAll(responses)));
    }
    if (open.size >= MAX_UNANSWERED) {
      socket.destroy();
      return;
    }
    const responses = open;
    responses.add(response);
    response.once('close', () => responses.delete(response));
    next();
  };
}

function closeAll(responses: ReadonlySet<ServerResponse>): void {
  for (const response of [...responses]) {
    response.destroyed = true;
    response.emit('close');
  }
}
