import { accountOf } from '../users/directory/directory.js';
import type { Directory, DirectoryEntry, NewDirectoryIds, WrittenEntry } from '../users/ports/directory.js';
import { testUuid } from './dataset.js';
import { noon } from './noon.js';

/** What a directory says about person number `number`. */
export function anEntry(number: number, fields: Partial<DirectoryEntry> = {}): DirectoryEntry {
  return {
    userName: `Person-${number}@Example.test`,
    externalId: `ext-${number}`,
    givenName: 'Ana',
    familyName: 'Lopez',
    displayName: null,
    email: `person-${number}@example.test`,
    isActive: true,
    ...fields,
  };
}

/** An entry as `Directory` writes it. */
export function written(entry: DirectoryEntry): WrittenEntry {
  return { entry, account: accountOf(entry) };
}

/** Random ids for a write, which end with this number. */
export function newIds(number: number): NewDirectoryIds {
  return {
    uuid: testUuid(40_000 + number),
    invitationId: testUuid(50_000 + number),
    keyId: 'key',
    retiredUuid: testUuid(60_000 + number),
  };
}

/** The UUID of the person that `aNewPerson` makes. */
export const uuidOf = (number: number): string => newIds(number).uuid;

/** A person for the directory of organization 1. */
export function aNewPerson(
  number: number,
  fields: Partial<DirectoryEntry> = {},
  organizationId = 1,
): Parameters<Directory['create']>[0] {
  return { ...written(anEntry(number, fields)), organizationId, at: noon, ids: newIds(number) };
}

/** The key of a change of the person that `aNewPerson` makes. */
export function changeOf(number: number, fields: Partial<Parameters<Directory['change']>[0]> = {}) {
  return { organizationId: 1, uuid: uuidOf(number), at: noon, ids: newIds(number + 5000), ...fields };
}

/** Returns the entry with these fields instead. */
export function instead(fields: Partial<DirectoryEntry>): (current: DirectoryEntry) => WrittenEntry {
  return ({ userName, externalId, givenName, familyName, displayName, email, isActive }) =>
    written({
      ...{ userName, externalId, givenName, familyName, displayName, email, isActive },
      ...fields,
    });
}
