import type { Problem } from '../../values/problem.js';
import type { Invitation, NewInvitation } from '../ports/invitations.js';

/** The most days for which an invitation can be valid. */
const maxInvitationDays = 365;

const DAY_MS = 24 * 60 * 60 * 1000;

/** The part of a request that says how long an invitation is valid. */
export interface Expiring {
  /** 1 to `maxInvitationDays` days from now; null: it does not expire. */
  readonly expiresInDays?: number | null | undefined;
}

export function expiryProblem({ expiresInDays: days = null }: Expiring): Problem | null {
  const isAllowed = days === null || (Number.isInteger(days) && days >= 1 && days <= maxInvitationDays);
  return isAllowed ? null : wrongExpiry;
}

/** The problem of an invitation that is to be valid for a time that is not allowed. */
export const wrongExpiry: Problem = {
  field: 'expiresInDays',
  code: 'not-allowed',
  message: `must be a whole number from 1 to ${maxInvitationDays}`,
};

export function expiryAfter(at: Date, days: number | null): Date | null {
  return days === null ? null : new Date(at.getTime() + days * DAY_MS);
}

/** A renewed invitation is valid as long as the one before it was, unless it is given another end. */
export function renewedExpiry(
  old: Pick<Invitation, 'createdAt' | 'expiresAt'>,
  fresh: Pick<NewInvitation, 'createdAt'> & Partial<Pick<NewInvitation, 'expiresAt'>>,
): Date | null {
  if (fresh.expiresAt !== undefined) return fresh.expiresAt;
  if (old.expiresAt === null) return null;
  return new Date(fresh.createdAt.getTime() + old.expiresAt.getTime() - old.createdAt.getTime());
}

/** Whether the invitation was revoked because it had expired. */
export function hasExpired({ expiresAt, revokedAt }: Pick<Invitation, 'expiresAt' | 'revokedAt'>): boolean {
  return revokedAt !== null && revokedAt.getTime() === expiresAt?.getTime();
}
