import type { ServerResponse } from 'node:http';
import { HttpError } from './errors.js';
import { localsOf } from './locals.js';

const RETRY_AFTER_SECONDS = 5;

/** Throws 429 if too much is kept already for clients of the same organization, or of the same pages, that do not read. */
export function refuseUnread(response: ServerResponse): void {
  if (localsOf(response).unread?.isTooMuch(subjectOf(response))) throw tooManyAnswers(response);
}

/** 429 for an answer that would need too much memory with the others of its organization. */
export function tooManyAnswers(response: ServerResponse): HttpError {
  localsOf(response).limit = 'answers';
  return new HttpError('too-many-requests', {
    text: 'Too many large answers at once: read those that were sent, and try again',
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });
}

/** Counts bytes that are kept for the client. Call the result once when they are not kept any more. */
export function countUnread(response: ServerResponse, bytes: number): () => void {
  return localsOf(response).unread?.add(subjectOf(response), bytes) ?? (() => {});
}

/** The organization, or else the first part of the path. */
function subjectOf(response: ServerResponse): string {
  const { organization, url = '' } = localsOf(response);
  if (organization !== undefined) return `organization ${organization.id}`;
  const id = /^\/organizations\/(\d{1,16})(?![^/?])/i.exec(url)?.[1];
  return id === undefined ? (/^\/[^/?]{0,50}/.exec(url)?.[0] ?? '') : `organization ${id}`;
}
