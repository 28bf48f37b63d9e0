import type { Evidence } from '../checker.js';
import { ofKind } from '../history.js';
import { count, mayBeErased, mayHaveHappened, mayHaveJoined } from './may.js';
import { emailIn } from './told-event.js';

/**
 * Every acknowledged registration has its event, and no event has no registration. A person joins once until they are
 * removed.
 */
export function checkMemberships({ history, finals }: Evidence): readonly string[] {
  const joins = ofKind(history, 'join');
  const removals = ofKind(history, 'remove');
  const broken: string[] = [];
  for (const { org, events, members } of finals) {
    const emails = new Set([
      ...joins.filter((join) => join.org === org).map(({ email }) => email),
      ...events.map(({ body }) => emailIn(body)),
      ...members,
    ]);
    for (const email of emails) {
      if (email === null || mayBeErased(history, email)) continue;
      const is = (op: { readonly org: number; readonly email: string }): boolean =>
        op.org === org && op.email === email;
      const who = `${email} in organization ${org}`;
      const joined = joins.filter(is);
      const told = count(events, ({ body }) => emailIn(body) === email);
      const sure = count(joined, ({ outcome }) => outcome === 'ok');
      const possible = count(joined, mayHaveJoined);
      if (told < sure) broken.push(`${who}: ${sure} registrations were acknowledged, ${told} have an event`);
      if (told > possible) broken.push(`${who}: ${told} events of at most ${possible} registrations`);
      const left = told - (members.includes(email) ? 1 : 0);
      const removed = removals.filter(is);
      const leastLeft = count(removed, ({ outcome }) => outcome === 'ok');
      const mostLeft = count(removed, mayHaveHappened);
      if (left < leastLeft || left > mostLeft)
        broken.push(
          `${who}: joined ${told} times, ${members.includes(email) ? 'is' : 'is not'} a member in the end, and was removed ${leastLeft} to ${mostLeft} times`,
        );
    }
    const duplicates = members.filter((email, index) => members.indexOf(email) !== index);
    for (const email of duplicates) broken.push(`${email} is twice a member of organization ${org}`);
  }
  return broken;
}
