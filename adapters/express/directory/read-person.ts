import type { DirectoryEntry } from '@rollcall/core';
import { invalidSyntax, invalidValue, isObject, readAttributes, type Said } from './attributes.js';

/** Reads a whole person, as POST and PUT send one. */
export function readPerson(body: unknown): Said {
  if (!isObject(body)) throw invalidSyntax('The body must be a JSON object');
  const said: Said = {};
  readAttributes(body, said);
  return said;
}

/** Someone of whom nothing was said. */
export const nobody = {
  ...{ userName: null, externalId: null, givenName: null, familyName: null, displayName: null, email: null },
  isActive: true,
};

/** A change of what was said. */
export function changedEntry(said: Said, before: DirectoryEntry | typeof nobody): DirectoryEntry {
  const { userName, externalId, givenName, familyName, displayName, email, isActive } = {
    ...before,
    ...said,
  };
  if (userName === null) throw invalidValue('userName is required');
  return {
    ...{ userName, externalId, givenName, familyName, displayName, email },
    isActive: isActive ?? before.isActive,
  };
}

/** A replacement that does not say whether the person is active, or an id, leaves both. */
export function replacedEntry(said: Said, { externalId, isActive }: DirectoryEntry): DirectoryEntry {
  return changedEntry({ externalId, ...said }, { ...nobody, isActive });
}
