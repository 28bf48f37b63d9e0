import { Refusal } from '@rollcall/core';
import { sendFile } from '../../stream.js';
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
    const { visitLimits } = visit;
    try {
      await visitLimits.countFeed(visit);
      await sendFeed(visit).catch(async (error: unknown) => {
        if (isUnknownFeed(error)) await visitLimits.countUnknownFeed(visit);
        throw error;
      });
    } catch (error) {
      refuse(visit, error);
    }
  },
};

/**
 * An app that already has the current calendar gets 304, and no calendar is written for it. Otherwise the
 * meetings are read once for the tag and once for the file, which is sent as fast as the app reads.
 */
async function sendFeed({ core, serviceName, address, request, response }: Visit): Promise<void> {
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
function refuse({ request, response }: Visit, error: unknown): void {
  const isOverLimit = error instanceof PageError && error.problem === 'too-many-visits';
  if (request.accepts('html') !== false || !(isOverLimit || isUnknownFeed(error))) throw error;
  if (isOverLimit) response.set('Retry-After', String(error.retryAfter ?? 1));
  const status = isOverLimit ? 429 : 404;
  setErrorCode(response, status);
  const line = isOverLimit ? 'Too many requests for this calendar' : error.message;
  response.status(status).type('text').send(`${line}\n`);
}

function isUnknownFeed(error: unknown): error is Refusal {
  return error instanceof Refusal && error.code === 'calendar-feed-unknown';
}
