import type { Core, DirectoryEntry, DirectoryPerson, Organization } from '@rollcall/core';
import { clampNumber } from '@rollcall/core/rules';
import { readFilter } from './read-filter.js';
import { readOperations } from './read-operations.js';
import { changedEntry, nobody, readPerson, replacedEntry } from './read-person.js';
import { listAnswer, MAX_RESULTS, type Place, personAddress, personAnswer } from './write-answers.js';

/** A request of a directory whose token was right. */
export interface DirectoryCall {
  readonly core: Core;
  readonly organization: Organization;
  readonly place: Place;
  /** The IP address of the client. */
  readonly from: string;
  /** The part of the path after the kind of resource; empty: none. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** Reads the body. */
  readonly body: () => Promise<unknown>;
}

/** What is answered, and what the owners read about it. */
export interface DirectoryAnswer {
  readonly status: number;
  /** Null: no body. */
  readonly body: object | null;
  /** Alternating names and values. */
  readonly headers?: readonly string[];
  /** Without anything that was sent. */
  readonly reason: string;
  readonly uuid?: string | undefined;
}

/** Answers one page of the people, or the one whom a filter finds. */
export async function listPeople({
  core,
  organization,
  place,
  query,
}: DirectoryCall): Promise<DirectoryAnswer> {
  const range = { from: 1, to: Number.MAX_SAFE_INTEGER };
  const startIndex = clampNumber(query.get('startIndex') ?? 1, { ...range, otherwise: 1 });
  const count = clampNumber(query.get('count'), { from: 0, to: MAX_RESULTS, otherwise: MAX_RESULTS });
  const filter = query.get('filter')?.trim() ?? '';
  const listed = (people: readonly DirectoryPerson[], total: number, reason: string) => {
    const resources = people.map((person) => personAnswer(place, person));
    return { status: 200, body: listAnswer({ total, startIndex, resources }), reason };
  };
  if (filter !== '') {
    const { attribute, value } = readFilter(filter);
    const person = await core.findProvisioned({ organization, attribute, value });
    const found = person === null ? [] : [person];
    const shown = found.slice(startIndex - 1, startIndex - 1 + count);
    const reason = `Searched by ${attribute}: ${person === null ? 'nobody' : 'found'}`;
    return { ...listed(shown, found.length, reason), uuid: person?.uuid };
  }
  const { total, people } = await core.listProvisioned({
    organization,
    offset: startIndex - 1,
    limit: count,
  });
  return listed(people, total, `Listed ${people.length} of ${total} people`);
}

function answerOf(place: Place, person: DirectoryPerson, reason: string): DirectoryAnswer {
  return { status: 200, body: personAnswer(place, person), reason, uuid: person.uuid };
}

export async function readOne({ core, organization, place, id }: DirectoryCall): Promise<DirectoryAnswer> {
  const person = await core.readProvisioned({ organization, uuid: id });
  return answerOf(place, person, 'Read');
}

export async function createPerson(call: DirectoryCall): Promise<DirectoryAnswer> {
  const { core, organization, place, from } = call;
  const entry = changedEntry(readPerson(await call.body()), nobody);
  const person = await core.provisionUser({ organization, entry, from });
  const headers = ['Location', personAddress(place, person.uuid)];
  return { ...answerOf(place, person, `Added: ${stateOf(person)}`), status: 201, headers };
}

export async function replacePerson(call: DirectoryCall): Promise<DirectoryAnswer> {
  const said = readPerson(await call.body());
  return change(call, (before) => replacedEntry(said, before));
}

export async function patchPerson(call: DirectoryCall): Promise<DirectoryAnswer> {
  const said = readOperations(await call.body());
  // A member whom the directory has not written stays so: otherwise nothing at all would give it admins and owners to remove.
  if (Object.keys(said).length === 0) return { ...(await readOne(call)), reason: 'Changed nothing' };
  return change(call, (before) => changedEntry(said, before));
}

async function change(
  { core, organization, place, from, id }: DirectoryCall,
  changed: (before: DirectoryEntry) => DirectoryEntry,
): Promise<DirectoryAnswer> {
  let wasActive = true;
  const person = await core.changeProvisioned({
    ...{ organization, uuid: id, from },
    change(before) {
      wasActive = before.isActive;
      return changed(before);
    },
  });
  const what = wasActive === person.isActive ? 'Changed' : person.isActive ? 'Reactivated' : 'Deactivated';
  return answerOf(place, person, `${what}: ${stateOf(person)}`);
}

export async function removePerson({
  core,
  organization,
  from,
  id,
}: DirectoryCall): Promise<DirectoryAnswer> {
  const { uuid } = await core.removeProvisioned({ organization, uuid: id, from });
  return { status: 204, body: null, reason: 'Removed', uuid };
}

function stateOf({ member, isActive }: DirectoryPerson): string {
  if (member !== null) return member.role;
  return isActive ? 'invited, not a member until they accept' : 'inactive';
}
