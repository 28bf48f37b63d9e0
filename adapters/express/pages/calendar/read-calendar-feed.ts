import { Refusal } from '@rollcall/core';
import type { Request, Response } from 'express';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { PageError } from '../page-error.js';
import { setErrorCode } from '../set-error-code.js';
import {
  CALENDAR_END,
  CALENDAR_MEDIA_TYPE,
  calendarEvents,
  calendarStart,
  calendarVersion,
} from './icalendar.js';

/** A member's calendar, for calendar apps that have its address (decision 88). */
export function readCalendarFeed(deps: PageDeps): Page {
  return {
    path: '/calendar/:token.ics',
    isForPrograms: true,
    async get(request, response) {
      try {
        await deps.visitLimits.countFeed(request);
        await sendFeed(deps, request, response);
      } catch (error) {
        await refuse(deps, request, response, error);
      }
    },
  };
}

/**
 * An app that already has the current calendar gets 304, and no calendar is written for it. Otherwise the
 * meetings are read once for the tag and once for the file, which is sent as fast as the app reads.
 */
async function sendFeed(
  { core, serviceName, address, sendFile }: PageDeps,
  request: Request,
  response: Response,
): Promise<void> {
  const { organization, meetings } = await core.readCalendarFeed({ token: String(request.params.token) });
  const file = { organization, pagesUrl: address.url, serviceName };
  const tag = `W/"${await calendarVersion(file, meetings())}"`;
  // The app may keep the calendar, but checks each time whether it has changed.
  response.set({ ETag: tag, 'Cache-Control': 'private, no-cache' });
  if (request.fresh) return void response.status(304).end();
  await sendFile(request, response, {
    before: calendarStart(file),
    chunks: calendarEvents(file, meetings()),
    after: CALENDAR_END,
    writeHead: () => void response.type(CALENDAR_MEDIA_TYPE),
  });
}

/** People get a page, programs one line. */
async function refuse(
  { visitLimits }: PageDeps,
  request: Request,
  response: Response,
  error: unknown,
): Promise<void> {
  const isUnknown = error instanceof Refusal && error.code === 'calendar-feed-unknown';
  const tooMany = isLimitError(error)
    ? error
    : isUnknown
      ? await visitLimits.countUnknownFeed(request).then(() => null, onlyLimitError)
      : null;
  if (request.accepts('html') !== false) throw tooMany ?? error;
  if (tooMany !== null) {
    response.set('Retry-After', String(tooMany.retryAfter ?? 1));
    setErrorCode(response, 429);
    response.status(429).type('text').send('Too many requests for this calendar\n');
  } else if (isUnknown) {
    setErrorCode(response, 404);
    response.status(404).type('text').send(`${error.message}\n`);
  } else throw error;
}

function isLimitError(error: unknown): error is PageError {
  return error instanceof PageError && error.problem === 'too-many-visits';
}

function onlyLimitError(error: unknown): PageError {
  if (isLimitError(error)) return error;
  throw error;
}
