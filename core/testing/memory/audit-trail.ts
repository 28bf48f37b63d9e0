import type { AuditTrail, NamedUser, NewAuditEntry, Who } from '../../access/ports/audit-trail.js';
import { nextId, type State } from './state.js';

export function memoryAuditTrail(state: State): AuditTrail {
  return {
    async record(entry) {
      addEntry(state, entry);
    },
    async list({ organizationId, offset, limit }) {
      const all = entriesOf(state, organizationId).map((entry) => ({
        ...entry,
        user: namedUser(state, entry.actor.who),
      }));
      return { total: all.length, entries: all.slice(offset, offset + limit) };
    },
    async lastOf({ organizationId, actions }) {
      const last = entriesOf(state, organizationId).find(({ action }) => actions.includes(action));
      return last?.action ?? null;
    },
  };
}

/** Newest first. */
function entriesOf({ auditEntries }: State, organizationId: number) {
  return [...auditEntries.values()]
    .filter((entry) => entry.organizationId === organizationId)
    .sort((one, other) => other.at.getTime() - one.at.getTime() || other.id - one.id);
}

export function addEntry(state: State, { organizationId, at, actor, action, subject }: NewAuditEntry): void {
  const id = nextId(state);
  state.auditEntries.set(id, { id, organizationId, at, actor, action, subject });
}

export function namedUser(state: State, who: Who | null): NamedUser | null {
  const user = who?.kind === 'user' ? state.users.get(who.userId) : undefined;
  if (user === undefined) return null;
  const { id, email, firstName, lastName } = user;
  return { id, email, firstName, lastName };
}
