import type { Evidence } from '../checker.js';
import { ofKind } from '../history.js';
import { count, isDoneBefore, mayBeErased } from './may.js';
import { emailIn, eventIn } from './told-event.js';

/** A reader gets every event once and in one order, and each one that was acknowledged before a read that reached the end. */
export function checkFeed({ history, finals }: Evidence): readonly string[] {
  const broken: string[] = [];
  const reads = ofKind(history, 'read').filter(({ outcome }) => outcome === 'ok');
  for (const { org, organization, events, rest } of finals) {
    const ids = events.map(({ id }) => id);
    if (new Set(ids).size !== ids.length) broken.push(`the feed of organization ${org} has an event twice`);
    for (const { id, body } of events) {
      const told = eventIn(body);
      if (
        told.event_id !== id ||
        told.organization.id !== organization.id ||
        told.organization.name !== organization.name
      )
        broken.push(`the feed of organization ${org} has a wrong event: ${body}`);
    }
    const joins = ofKind(history, 'join').filter((join) => join.org === org);
    const missing = (soFar: readonly string[], before: number): boolean =>
      joins.some(
        ({ email }) =>
          !mayBeErased(history, email) &&
          count(joins, (join) => join.email === email && isDoneBefore(join, before)) >
            count(soFar, (body) => emailIn(body) === email),
      );
    const readers = new Set(reads.filter((read) => read.org === org).map(({ reader }) => reader));
    for (const reader of readers) {
      const pages = reads.filter((read) => read.org === org && read.reader === reader);
      if (reader === 'newest') {
        for (const page of pages) {
          const forward = [...page.bodies].reverse();
          if (forward.some((body, index) => idOf(body) !== ids[index]))
            broken.push(`organization ${org} was shown the newest events in another order`);
          if (!page.hasMore && missing(forward, page.start))
            broken.push(`organization ${org} was not shown an event that had been acknowledged`);
        }
        continue;
      }
      const soFar: string[] = [];
      for (const page of pages) {
        soFar.push(...page.bodies);
        if (!page.hasMore && missing(soFar, page.start))
          broken.push(`${reader} of organization ${org} was not told an event that had been acknowledged`);
      }
      const got = [...soFar, ...(rest.get(reader) ?? [])];
      if (got.length !== ids.length || got.some((body, index) => idOf(body) !== ids[index]))
        broken.push(
          `${reader} of organization ${org} got ${got.map(idOf).join(', ')} instead of ${ids.join(', ')}`,
        );
    }
  }
  return broken;
}

function idOf(body: string): string {
  return eventIn(body).event_id;
}
