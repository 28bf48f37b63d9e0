import { normalizeEmail } from '../../values/email.js';
import type { DirectoryEntry, DirectoryKey, DirectoryPerson } from '../ports/directory.js';
import type { DirectoryToken } from '../ports/directory-tokens.js';
import type { Member } from '../ports/members.js';
import type { Person } from '../user.js';

/** How many requests of each organization's directory are kept. */
export const maxDirectoryRequests = 200;

/** What a directory's names are compared by: without regard to case. */
export function directoryKey(text: string): string {
  return text.trim().normalize('NFC').toLowerCase().normalize('NFC');
}

/** Whether the token works at this time. */
export function isWorking({ endsAt }: Pick<DirectoryToken, 'endsAt'>, at: Date): boolean {
  return endsAt === null || endsAt > at;
}

/** The person as the directory sees them: what it has written, or else what the membership says. */
export function directoryPerson(
  key: DirectoryKey,
  { entry, member }: { readonly entry: DirectoryEntry | null; readonly member: Member | null },
): DirectoryPerson | null {
  const seen = entry ?? (member === null ? null : entryOf(member));
  if (seen === null) return null;
  // Someone else may have made a member of a person whom the directory has deactivated.
  return { ...key, ...seen, isActive: seen.isActive || member !== null, isWritten: entry !== null, member };
}

function entryOf({ user, idpId }: Member): DirectoryEntry {
  return {
    userName: user.email,
    externalId: idpId,
    givenName: user.firstName,
    familyName: user.lastName,
    displayName: null,
    email: user.email,
    isActive: true,
  };
}

/** The address and the name of the account of an entry. A directory need not say a name, and an account has one. */
export function accountOf({ userName, givenName, familyName, displayName, email }: DirectoryEntry): Person {
  const address = normalizeEmail(email ?? userName);
  const words = (displayName ?? address.replace(/@.*/s, '')).trim().split(/\s+/);
  return {
    email: address,
    firstName: givenName?.trim() || words[0] || '-',
    lastName: familyName?.trim() || words.slice(1).join(' ') || '-',
  };
}

/**
 * The `idpId` of a member after a write: the `externalId`; without one, what others have set, but not what the directory
 * has set before.
 */
export function keptIdpId(
  entry: DirectoryEntry,
  before: Pick<DirectoryPerson, 'externalId' | 'isWritten'>,
  current: string | null,
): string | null {
  return entry.externalId ?? (before.isWritten && before.externalId !== null ? null : current);
}

/** Whether both say the same. */
export function isSameEntry(one: DirectoryEntry, other: DirectoryEntry): boolean {
  return entryFields.every((field) => one[field] === other[field]);
}

const entryFields: readonly (keyof DirectoryEntry)[] = [
  ...(['userName', 'externalId', 'givenName', 'familyName', 'displayName', 'email', 'isActive'] as const),
];
