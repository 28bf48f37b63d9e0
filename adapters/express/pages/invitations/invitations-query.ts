import type { InvitationOrder, ListedState } from '@rollcall/core';
import type { Request } from 'express';
import type { Tone } from '../design/components.js';
import { isKeyOf } from '../is-key-of.js';

export const states: Record<ListedState, { readonly label: string; readonly tone: Tone }> = {
  pending: { label: 'Pending', tone: 'pending' },
  accepted: { label: 'Accepted', tone: 'success' },
  revoked: { label: 'Revoked', tone: 'neutral' },
  replaced: { label: 'Replaced', tone: 'neutral' },
};

/** Which invitations the list shows. */
export interface InvitationsQuery {
  /** Empty: no search. */
  readonly search: string;
  /** Undefined: any. */
  readonly state: ListedState | undefined;
  readonly order: InvitationOrder;
}

export const orderTexts: Record<InvitationOrder, string> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  name: 'Name',
};

/** An unknown state means all, and an unknown order the usual one, just as an invalid page number means the first page. */
export function queryIn({ query: { search, state, sort } }: Request): InvitationsQuery {
  return {
    search: typeof search === 'string' ? search.trim() : '',
    state: isKeyOf(states, state) ? state : undefined,
    order: isKeyOf(orderTexts, sort) ? sort : 'newest',
  };
}

/** The parameters of the list's address. */
export function parametersOf({ search, state, order }: InvitationsQuery): Readonly<Record<string, string>> {
  return {
    ...(search !== '' && { search }),
    ...(state !== undefined && { state }),
    ...(order !== 'newest' && { sort: order }),
  };
}
