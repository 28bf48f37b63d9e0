import { searchWords } from '../users/search-words.js';
import { checkOneOf } from '../values/one-of.js';
import { checkActor } from './acting.js';
import { type ActivityKind, actionsOf, activityKinds } from './activity-kinds.js';
import type { AuditFilters, Who } from './ports/audit-trail.js';

/** Which activity is asked for. Only entries that match all of them are listed. */
export interface ActivitySelection {
  /** Only what this user, or any actor of this kind, did. Left out: anyone. */
  readonly who?: Who | undefined;
  /** Left out: of any kind. */
  readonly kind?: ActivityKind | undefined;
  /** Not before this time. */
  readonly since?: Date | undefined;
  /** Before this time. */
  readonly until?: Date | undefined;
  /**
   * Each of its words is part of the subject, or of the name or address of the member who did it or whom it concerns, in any
   * case and with any accents.
   */
  readonly search?: string | undefined;
}

/** The filters of the audit trail. Throws as `listActivity` does. */
export function auditFilters({ who, kind, since, until, search = '' }: ActivitySelection): AuditFilters {
  if (who !== undefined) checkActor({ who, from: null });
  if (kind !== undefined) checkOneOf('kind', activityKinds, kind);
  const actions = kind === undefined ? undefined : actionsOf(kind);
  return { who, actions, since, until, words: searchWords(search) };
}
