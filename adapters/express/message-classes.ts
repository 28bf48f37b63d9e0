import { IncomingMessage, type RequestListener, type ServerOptions, ServerResponse } from 'node:http';
import type { Express } from 'express';

/** The classes of a server's requests and answers. */
export type MessageClasses = Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;

/**
 * Classes whose objects already have the prototypes that the Express application would give them, for
 * `node:http.createServer`. To change the prototype of an object makes V8 treat it as one of a kind: everything after it
 * is slower, and the object survives until the next full garbage collection. They become the
 * application's `request` and `response`. Nothing if the handler is no Express application.
 */
export function messageClassesOf(handler: RequestListener): MessageClasses {
  if (!isExpress(handler)) return {};
  class Request extends IncomingMessage {}
  class Response<Of extends IncomingMessage> extends ServerResponse<Of> {}
  inherit(Request.prototype, handler.request);
  inherit(Response.prototype, handler.response);
  Object.assign(handler, { request: Request.prototype, response: Response.prototype });
  return { IncomingMessage: Request, ServerResponse: Response };
}

/** Express's own prototypes inherit from those of node:http. Each has its application, also if another one mounts that. */
function inherit(prototype: object, ofExpress: { readonly app: unknown }): void {
  Object.setPrototypeOf(prototype, ofExpress);
  Object.assign(prototype, { app: ofExpress.app });
}

function isExpress(handler: RequestListener): handler is Express {
  return 'request' in handler && 'response' in handler;
}
