import { Refusal } from '@rollcall/core';
import type { Request, Response } from 'express';
import type { Dashboard } from '../dashboard.js';
import type { Page } from '../page.js';
import { PageError } from '../page-error.js';
import { setErrorCode } from '../set-error-code.js';
import { feedOf } from '../visit-limits.js';
import { calendarType } from './icalendar.js';

/** A member's calendar, for calendar apps that have its address (decision 88). */
export function readCalendarFeed(dashboard: Dashboard): Page {
  return {
    path: '/calendar/:token.ics',
    isForPrograms: true,
    async get(request, response) {
      try {
        await dashboard.visitLimits.countFeed(request);
        await sendFeed(dashboard, request, response);
      } catch (error) {
        await refuse(dashboard, request, response, error);
      }
    },
  };
}

/** An app that already has the current calendar gets 304, and no calendar is written for it (decision 154). */
async function sendFeed(
  { core, serviceName, address, calendarFiles }: Dashboard,
  request: Request,
  response: Response,
): Promise<void> {
  const content = await core.readCalendarFeed({ token: String(request.params.token) });
  const file = { ...content, origin: address.origin, serviceName };
  const { tag, bytes } = await calendarFiles.of(feedOf(request), file);
  // The app may keep the calendar, but checks each time whether it has changed.
  response.set({ ETag: tag, 'Cache-Control': 'private, no-cache' });
  if (request.fresh) return void response.status(304).end();
  response.type(calendarType).send(await bytes());
}

/** People get a page, programs one line. */
async function refuse(
  { visitLimits }: Dashboard,
  request: Request,
  response: Response,
  error: unknown,
): Promise<void> {
  const isUnknown = error instanceof Refusal && error.code === 'calendar-feed-unknown';
  const tooMany = isTooMany(error)
    ? error
    : isUnknown
      ? await visitLimits.countUnknownFeed(request).then(() => null, onlyTooMany)
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

function isTooMany(error: unknown): error is PageError {
  return error instanceof PageError && error.problem === 'too-many-visits';
}

function onlyTooMany(error: unknown): PageError {
  if (isTooMany(error)) return error;
  throw error;
}
