import type { Response } from 'express';
import { setErrorCode } from './set-error-code.js';

/** A whole page with its status. */
export interface RenderedPage {
  readonly status: number;
  readonly html: string;
}

type Send = (page: RenderedPage) => void;

const senders = new WeakMap<Response, Send>();

/** Sends the page as the answer, unless `replaceSender` has set another way for it. */
export function sendPage(response: Response, page: RenderedPage): void {
  const send = senders.get(response);
  if (send === undefined) sendDirectly(response, page);
  else send(page);
}

export function replaceSender(response: Response, send: Send): void {
  senders.set(response, send);
}

export function sendDirectly(response: Response, { status, html }: RenderedPage): void {
  setErrorCode(response, status);
  response.status(status).type('html').send(html);
}
