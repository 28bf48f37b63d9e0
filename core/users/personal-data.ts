import type { AuditAction } from '../access/ports/audit-trail.js';
import { leaderName } from '../meetings/leader-name.js';
import { emailForms, normalizeEmail } from '../values/email.js';
import { mayBeUuid } from '../values/ids.js';
import type { PersonKey } from './ports/personal-data.js';
import type { Person } from './user.js';

/** Stands for the person in audit entries. */
export const erasedPerson = 'an erased person';

/**
 * The body without the person: every field of `user` is null, and `erased` is true. The other fields stay. The text of a
 * body that is not that of an event stays as it is.
 */
export function erasedBody(body: string): string {
  const event = parsed(body);
  if (event === null || typeof event.user !== 'object' || event.user === null) return body;
  const user = Object.fromEntries(Object.keys(event.user).map((field) => [field, null]));
  return JSON.stringify({ ...event, user, erased: true });
}

/** Whether `erasedBody` made the body. */
export function isErased(body: string): boolean {
  return parsed(body)?.erased === true;
}

/** Parses the event body. Texts and numbers have no fields. */
function parsed(body: string): { readonly user?: unknown; readonly erased?: unknown } | null {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

/** Whether the text contains one of the addresses, as a whole word. */
export function mentionsAddress(text: string, emails: readonly string[]): boolean {
  return emailForms(emails).some((email) => wholeAddress(email).test(text));
}

/** Their subjects are replaced as a whole: they also hold a name, an id, or an address that may be cut. */
const wholeSubjects: readonly AuditAction[] = [
  'email-changed',
  'name-changed',
  'idp-id-set',
  'invitation-renewed',
];

/** The subject of an audit entry without the addresses. */
export function erasedSubject(
  { action, subject }: { readonly action: AuditAction; readonly subject: string },
  emails: readonly string[],
): string {
  if (wholeSubjects.includes(action)) return mentionsAddress(subject, emails) ? erasedPerson : subject;
  return emailForms(emails).reduce(
    (text, email) => text.replace(wholeAddress(email), () => erasedPerson),
    subject,
  );
}

/** Matches the address where it is not part of a longer one. */
function wholeAddress(email: string): RegExp {
  const text = email.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const part = String.raw`[\p{L}\p{M}\p{N}_%+~-]`;
  return new RegExp(`(?<!${part}\\.?)${text}(?!\\.?${part})`, 'giu');
}

/** The texts in a meeting's `host` that are nothing but the name of its leader. */
export function hostNames(leader: Pick<Person, 'firstName' | 'lastName'>): readonly string[] {
  return [...new Set(formsOf(leader))];
}

/** The same texts of a leader who gets another name, each with what it becomes. */
export function renamedHosts(
  before: Pick<Person, 'firstName' | 'lastName'>,
  after: Pick<Person, 'firstName' | 'lastName'>,
): ReadonlyMap<string, string> {
  const forms = formsOf(before);
  const renamed = formsOf(after);
  return new Map(hostNames(before).map((host) => [host, renamed[forms.indexOf(host)] ?? host]));
}

function formsOf(leader: Pick<Person, 'firstName' | 'lastName'>): readonly string[] {
  const { firstName, lastName } = leader;
  return [leaderName(leader), `${firstName} ${lastName}`, firstName, lastName];
}

/** The person as stored. An address that is no longer valid must be exactly as stored, so it is tried as given too. */
export function personKeys(person: PersonKey): readonly PersonKey[] {
  if ('uuid' in person) return mayBeUuid('uuid', person.uuid) ? [{ uuid: person.uuid.toLowerCase() }] : [];
  return [...new Set([normalizeEmail(person.email), person.email])].map((email) => ({ email }));
}
