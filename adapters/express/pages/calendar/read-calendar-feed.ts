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
      refuse(visit, error);
    }
  },
};

/**
 * An app that already has the current calendar gets 304, and no calendar is written for it. Otherwise the
 * meetings are read once for the tag and once for the file, which is sent as fast as the app reads.
 */
async function sendFeed(visit: Visit): Promise<void> {
  const { core, serviceName, address, sendFile, visitLimits, request, response } = visit;
  const found = core.readCalendarFeed({ token: String(request.params.token) });
  const { organization, meetings } = await found.catch(async (error: unknown) => {
    if (isUnknown(error)) await visitLimits.countUnknownFeed(visit);
    throw error;
  });
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
  const send = (status: number, line: string) => {
    setErrorCode(response, status);
    response.status(status).type('text').send(`${line}\n`);
  };
  const isForPrograms = request.accepts('html') === false;
  if (isForPrograms && error instanceof PageError && error.problem === 'too-many-visits') {
    response.set('Retry-After', String(error.retryAfter ?? 1));
    send(429, 'Too many requests for this calendar');
  } else if (isForPrograms && isUnknown(error)) send(404, error.message);
  else throw error;
}

function isUnknown(error: unknown): error is Refusal {
  return error instanceof Refusal && error.code === 'calendar-feed-unknown';
}
