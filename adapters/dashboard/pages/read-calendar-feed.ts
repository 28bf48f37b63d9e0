import { Refusal } from '@rollcall/core';
import type { Dashboard } from '../dashboard.js';
import { setErrorCode } from '../error-code.js';
import { calendarFile, calendarType } from '../icalendar.js';
import type { Page } from '../page.js';

/** A member's calendar, for the program that knows its address (decision 88). */
export function calendarFeed({ core, serviceName, address }: Dashboard): Page {
  return {
    path: '/calendar/:token.ics',
    isForPrograms: true,
    async get(request, response) {
      try {
        const content = await core.readCalendarFeed({ token: String(request.params.token) });
        response.type(calendarType);
        response.send(calendarFile({ ...content, origin: address.origin, serviceName }));
      } catch (error) {
        const isUnknown = error instanceof Refusal && error.code === 'calendar-feed-unknown';
        if (!isUnknown || request.accepts('html') !== false) throw error;
        setErrorCode(response, 404);
        response.status(404).type('text').send(`${error.message}\n`);
      }
    },
  };
}
