import type { Temporal } from 'temporal-polyfill';
import { mondayOf } from '../values/day.js';
import type { MeetingDates } from './meeting.js';

export type Days = readonly [first: Temporal.PlainDate, last: Temporal.PlainDate];

/** The days of each range, seen from today. */
export const calendarDays: Readonly<Record<MeetingDates, (today: Temporal.PlainDate) => Days>> = {
  today: (today) => [today, today],
  this_week: (today) => weekOf(today),
  next_week: (today) => weekOf(today.add({ weeks: 1 })),
  last_week: (today) => weekOf(today.subtract({ weeks: 1 })),
  current_month: (today) => monthOf(today),
  next_month: (today) => monthOf(today.add({ months: 1 })),
  last_month: (today) => monthOf(today.subtract({ months: 1 })),
};

function weekOf(day: Temporal.PlainDate): Days {
  return [mondayOf(day), mondayOf(day).add({ days: 6 })];
}

function monthOf(day: Temporal.PlainDate): Days {
  return [day.with({ day: 1 }), day.with({ day: day.daysInMonth })];
}
