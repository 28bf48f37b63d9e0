import type { MemberOrder, Role } from '@rollcall/core';
import type { Request } from 'express';
import { isKeyOf } from '../is-key-of.js';
import { roleTitles } from './roles.js';

/** Which people the list shows. */
export interface PeopleQuery {
  /** Empty: no search. */
  readonly search: string;
  /** Undefined: any. */
  readonly role: Role | undefined;
  readonly order: MemberOrder;
}

export const orderTexts: Record<MemberOrder, string> = {
  role: 'Role',
  name: 'Name',
  newest: 'Newest first',
};

/** An unknown role means all, and an unknown order the usual one, just as an invalid page number means the first page. */
export function queryIn({ query: { search, role, sort } }: Request): PeopleQuery {
  return {
    search: typeof search === 'string' ? search.trim() : '',
    role: isKeyOf(roleTitles, role) ? role : undefined,
    order: isKeyOf(orderTexts, sort) ? sort : 'role',
  };
}

/** The parameters of the list's address. */
export function parametersOf({ search, role, order }: PeopleQuery): Readonly<Record<string, string>> {
  return {
    ...(search !== '' && { search }),
    ...(role !== undefined && { role }),
    ...(order !== 'role' && { sort: order }),
  };
}
