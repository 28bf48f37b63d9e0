import type { Mails, NewMail, NewOwnersMail } from '../../users/ports/mails.js';
import { nextId, type State, type StoredMail } from './state.js';

export function memoryMails(state: State): Mails {
  const claimed = ({ id, claim }: { readonly id: number; readonly claim: string }): StoredMail | null => {
    const mail = state.mails.get(id);
    return mail === undefined || mail.claim !== claim ? null : mail;
  };
  return {
    async add(mail) {
      addMail(state, mail);
    },
    async claim({ limit, claim, at, until }) {
      const due = [...state.mails.values()]
        .filter(({ dueAt }) => dueAt <= at)
        .sort((one, other) => one.dueAt.getTime() - other.dueAt.getTime() || one.id - other.id)
        .slice(0, limit);
      for (const mail of due)
        state.mails.set(mail.id, { ...mail, claim, dueAt: until, attempts: mail.attempts + 1 });
      return due.map(({ dueAt, ...mail }) => ({ ...mail, claim }));
    },
    async finish(key) {
      return claimed(key) !== null && state.mails.delete(key.id);
    },
    async postpone({ dueAt, ...key }) {
      const mail = claimed(key);
      if (mail === null) return false;
      state.mails.set(mail.id, { ...mail, claim: null, dueAt });
      return true;
    },
  };
}

/** Adds a mail, or one to each owner. */
export function addMail(state: State, mail: NewMail | NewOwnersMail): void {
  if ('ownersOf' in mail) {
    const { kind, ownersOf: organizationId, createdAt, replaces = [] } = mail;
    for (const member of state.memberships) {
      if (member.organizationId !== organizationId || member.role !== 'owner') continue;
      const email = state.users.get(member.userId)?.email ?? '';
      const [first, ...others] = [...state.mails.values()].filter(
        (waiting) =>
          waiting.claim === null &&
          waiting.organizationId === organizationId &&
          waiting.email === email &&
          replaces.includes(waiting.kind),
      );
      for (const { id } of others) state.mails.delete(id);
      if (first === undefined) addMail(state, { kind, organizationId, createdAt, email });
      else state.mails.set(first.id, { ...first, kind, createdAt });
    }
    return;
  }
  const { kind, email, organizationId = null, invitationId = null, createdAt } = mail;
  const id = nextId(state);
  const dueAt = createdAt;
  const about = { organizationId, invitationId };
  state.mails.set(id, { id, kind, email, ...about, createdAt, dueAt, claim: null, attempts: 0 });
}
