import { searchWords } from '../users/search-words.js';
import { checkOneOf } from '../values/one-of.js';
import { searchPattern, withoutAccents } from '../values/search-pattern.js';
import { checkActor } from './acting.js';
import { type ActivityKind, actionsOf, activityKinds } from './activity-kinds.js';
import type { AuditAction, AuditFilters, OtherActor, SearchedWord } from './ports/audit-trail.js';

/** Which activity is asked for. Only entries that match all of them are listed. */
export interface ActivitySelection extends Pick<AuditFilters, 'who' | 'since' | 'until'> {
  /** Left out: of any kind. */
  readonly kind?: ActivityKind | undefined;
  /**
   * Each of its words is part of the subject, of the address that the request came from, of the name or address of the member
   * who did it or whom it concerns, or of a name in `names`, in any case and with any accents.
   */
  readonly search?: string | undefined;
  /** What actions and actors are called where the entries are listed. Left out: their names are not searched. */
  readonly names?: ActivityNames | undefined;
}

/** The names of actions, and of actors that are not users. */
export interface ActivityNames {
  /** A search for a part of the name of an action finds the entries with that action. */
  readonly actions: Readonly<Record<AuditAction, string>>;
  /** The same for those whom the entries name as the ones who did it. */
  readonly actors: Readonly<Record<OtherActor, string>>;
}

/** The filters of the audit trail. Throws as `listActivity` does. */
export function auditFilters(selection: ActivitySelection): AuditFilters {
  const { who, kind, since, until, search = '', names } = selection;
  if (who !== undefined) checkActor({ who, from: null });
  if (kind !== undefined) checkOneOf('kind', activityKinds, kind);
  const actions = kind === undefined ? undefined : actionsOf(kind);
  return { who, actions, since, until, words: searchWords(search).map((word) => searchedWord(word, names)) };
}

function searchedWord(text: string, names: ActivityNames | undefined): SearchedWord {
  const pattern = searchPattern(text);
  const withText = <Key extends string>(named: Readonly<Record<Key, string>> | undefined) =>
    (Object.keys(named ?? {}) as Key[]).filter((key) => pattern.test(withoutAccents(named?.[key] ?? '')));
  return { text, actions: withText(names?.actions), actors: withText(names?.actors) };
}
