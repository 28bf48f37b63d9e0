import type { DirectoryEntry } from '@rollcall/core';
import { invalidSyntax, invalidValue, isObject, readAttributes, type Said } from './attributes.js';

/** Reads a whole person, as POST and PUT send one. */
export function readPerson(body: unknown): Said {
  if (!isObject(body)) throw invalidSyntax('The body must be a JSON object');
  const said: Said = {};
  readAttributes(body, said);
  return said;
}

/** The entry of a new person. */
export function newEntry(said: Said): DirectoryEntry {
  return {
    userName: userNameOf(said),
    externalId: said.externalId ?? null,
    givenName: said.givenName ?? null,
    familyName: said.familyName ?? null,
    displayName: said.displayName ?? null,
    email: said.email ?? null,
    isActive: said.isActive ?? true,
  };
}

/** A replacement that does not say whether the person is active, or an id, leaves both. */
export function replacedEntry(said: Said, before: DirectoryEntry): DirectoryEntry {
  return {
    ...newEntry(said),
    externalId: said.externalId === undefined ? before.externalId : said.externalId,
    isActive: said.isActive ?? before.isActive,
  };
}

/** A change of what was said. */
export function changedEntry(said: Said, before: DirectoryEntry): DirectoryEntry {
  const or = <Name extends keyof Said>(name: Name) => (said[name] === undefined ? before[name] : said[name]);
  return {
    userName: said.userName === undefined ? before.userName : userNameOf(said),
    externalId: or('externalId') ?? null,
    givenName: or('givenName') ?? null,
    familyName: or('familyName') ?? null,
    displayName: or('displayName') ?? null,
    email: or('email') ?? null,
    isActive: said.isActive ?? before.isActive,
  };
}

function userNameOf({ userName }: Said): string {
  if (userName == null) throw invalidValue('userName is required');
  return userName;
}
