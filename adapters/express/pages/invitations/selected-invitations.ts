import { Refusal } from '@rollcall/core';
import type { Request } from 'express';
import type { MemberVisit } from '../visit.js';
import type { KnownInvitation } from './read-invitation.js';

/** The name of the checkboxes in the list. Their values are UUIDs. */
export const SELECTED = 'invitation';

/** More than a page of the list has. */
const MAX_SELECTED = 100;

/** The invitations in the address, without those that don't exist. */
export async function selectedInvitations({
  core,
  organization,
  request,
}: MemberVisit): Promise<readonly KnownInvitation[]> {
  const found: KnownInvitation[] = [];
  for (const uuid of uuidsIn(request)) {
    const invitation = await unlessRefused(core.readInvitation({ organization, uuid }));
    if (invitation !== null) found.push(invitation);
  }
  return found;
}

function uuidsIn({ query }: Request): readonly string[] {
  const values = [query[SELECTED]].flat().filter((value) => typeof value === 'string');
  return [...new Set(values)].slice(0, MAX_SELECTED);
}

/** The ids of the invitations, as the field of the form that confirms. A renewed invitation has another id. */
export function idsField(invitations: readonly KnownInvitation[]): Readonly<Record<string, string>> {
  return { invitations: invitations.map(({ id }) => id).join(',') };
}

/** Changes each invitation in the form, without those that have changed since the question. */
export async function changeSelected<Changed>(
  visit: MemberVisit,
  change: (invitationId: string) => Promise<Changed>,
): Promise<{ readonly changed: readonly Changed[]; readonly total: number }> {
  const ids = [...new Set(visit.field('invitations').split(','))].slice(0, MAX_SELECTED);
  const changed: Changed[] = [];
  for (const id of ids) {
    const result = await unlessRefused(change(id));
    if (result !== null) changed.push(result);
  }
  return { changed, total: ids.length };
}

/** Null for a refusal: the invitation was changed meanwhile, or its person has joined. */
async function unlessRefused<Answer>(work: Promise<Answer>): Promise<Answer | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** `1 invitation`, `2 of 3 invitations`. */
export function countOf(count: number, total: number = count): string {
  const noun = total === 1 ? 'invitation' : 'invitations';
  return count === total ? `${count} ${noun}` : `${count} of ${total} ${noun}`;
}
