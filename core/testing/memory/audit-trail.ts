import type {
  AuditEntry,
  AuditFilters,
  AuditTrail,
  NamedUser,
  NewAuditEntry,
  Who,
} from '../../access/ports/audit-trail.js';
import { searchPattern, withoutAccents } from '../../values/search-pattern.js';
import { membershipOf, nextId, type State } from './state.js';

export function memoryAuditTrail(state: State): AuditTrail {
  return {
    async record(entry) {
      addEntry(state, entry);
    },
    async list({ organizationId, offset, limit, ...filters }) {
      const all = listedEntries(state, organizationId, filters);
      return { total: all.length, entries: all.slice(offset, offset + limit) };
    },
    async listAfter({ organizationId, after, limit, ...filters }) {
      const all = listedEntries(state, organizationId, filters);
      const start = after === null ? 0 : all.findIndex((entry) => isBefore(after, entry));
      return start < 0 ? [] : all.slice(start, start + limit);
    },
    async lastOf({ organizationId, actions, userId }) {
      const last = entriesOf(state, organizationId).find(
        ({ action, actor: { who } }) =>
          actions.includes(action) &&
          (userId === undefined || (who.kind === 'user' && who.userId === userId)),
      );
      return last === undefined ? null : { action: last.action, at: last.at };
    },
  };
}

type Place = Pick<AuditEntry, 'at' | 'id'>;

/** Whether the newer one is listed before the other. */
function isBefore(one: Place, other: Place): boolean {
  return one.at > other.at || (one.at.getTime() === other.at.getTime() && one.id > other.id);
}

/** Newest first. */
function entriesOf({ auditEntries }: State, organizationId: number) {
  return [...auditEntries.values()]
    .filter((entry) => entry.organizationId === organizationId)
    .sort((one, other) => (isBefore(one, other) ? -1 : 1));
}

/** Newest first. */
function listedEntries(
  state: State,
  organizationId: number,
  { who, actions, since, until, words = [] }: AuditFilters,
): readonly AuditEntry[] {
  const patterns = words.map((word) => ({ ...word, pattern: searchPattern(word.text) }));
  return entriesOf(state, organizationId)
    .map(({ aboutUserId: concerned, objectId = null, ...entry }) => {
      const member = membershipOf(state, { organizationId, userId: concerned });
      const about = member === undefined ? null : namedUser(state, { kind: 'user', userId: member.userId });
      return { ...entry, objectId, user: namedUser(state, entry.actor.who), about };
    })
    .filter(({ at, action, subject, actor, user, about }) => {
      const isMember = membershipOf(state, { organizationId, userId: user?.id }) !== undefined;
      const subjectWords = (subject ?? '').replaceAll(' → ', ' ');
      const texts = [subjectWords, actor.from ?? '', isMember ? textOf(user) : '', textOf(about)];
      return (
        (who === undefined || isSame(who, actor.who)) &&
        (actions === undefined || actions.includes(action)) &&
        (since === undefined || at >= since) &&
        (until === undefined || at < until) &&
        patterns.every(
          ({ pattern, actions: named, actors }) =>
            texts.some((text) => pattern.test(withoutAccents(text))) ||
            named.includes(action) ||
            actors.some((kind) => kind === actor.who.kind),
        )
      );
    });
}

function isSame(one: Who, other: Who): boolean {
  return one.kind === 'user' ? other.kind === 'user' && other.userId === one.userId : one.kind === other.kind;
}

function textOf(user: NamedUser | null): string {
  return user === null ? '' : `${user.firstName} ${user.lastName} ${user.email}`;
}

export function addEntry(state: State, entry: NewAuditEntry): void {
  const id = nextId(state);
  const { organizationId, at, actor, action, subject, aboutUserId, objectId } = entry;
  state.auditEntries.set(id, { id, organizationId, at, actor, action, subject, aboutUserId, objectId });
}

export function namedUser(state: State, who: Who | null): NamedUser | null {
  const user = who?.kind === 'user' ? state.users.get(who.userId) : undefined;
  if (user === undefined) return null;
  const { id, email, firstName, lastName } = user;
  return { id, email, firstName, lastName };
}
