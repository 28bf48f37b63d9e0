import { Refusal } from '@rollcall/core';
import { PageError } from '../errors/error-page.js';
import type { Page } from '../page.js';
import { setErrorCode } from '../page-headers.js';
import { paths } from '../paths.js';
import type { Visit } from '../visit.js';
import {
  CALENDAR_END,
  CALENDAR_MEDIA_TYPE,
  calendarEvents,
  calendarStart,
  calendarVersion,
} from './icalendar.js';

/** A member's calendar, for calendar apps that have its address (decision 88). */
export const readCalendarFeed: Page = {
  path: paths.calendarFeed,
  isForPrograms: true,
  async get(visit) {
    try {
      await visit.visitLimits.countFeed(visit);
      await sendFeed(visit);
    } catch (error) {
      await refuse(visit, error);
    }
  },
};

/**
 * An app that already has the current calendar gets 304, and no calendar is written for it. Otherwise the
 * meetings are read once for the tag and once for the file, which is sent as fast as the app reads.
 */
async function sendFeed({ core, serviceName, address, sendFile, request, response }: Visit): Promise<void> {
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
async function refuse(visit: Visit, error: unknown): Promise<void> {
  const { visitLimits, request, response } = visit;
  const isUnknown = error instanceof Refusal && error.code === 'calendar-feed-unknown';
  const tooMany = isLimitError(error)
    ? error
    : isUnknown
      ? await visitLimits.countUnknownFeed(visit).then(() => null, onlyLimitError)
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
