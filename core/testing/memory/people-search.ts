import type { Member } from '../../users/ports/members.js';
import type { Person } from '../../users/user.js';
import { searchPattern, sortKey, withoutAccents } from '../../values/search-pattern.js';

/** Whether a name, the address or the `idpId` contains each word. */
export function contains(words: readonly string[] = []): (person: Person & Pick<Member, 'idpId'>) => boolean {
  const patterns = words.map(searchPattern);
  return ({ firstName, lastName, email, idpId }) => {
    const text = withoutAccents(`${firstName} ${lastName} ${email} ${idpId ?? ''}`);
    return patterns.every((pattern) => pattern.test(text));
  };
}

/** What people are sorted by in the order of names. */
export function nameKey({ firstName, lastName }: Pick<Person, 'firstName' | 'lastName'>): string {
  return sortKey(`${firstName} ${lastName}`);
}
