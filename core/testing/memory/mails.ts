import type { Mails, NewMail } from '../../users/ports.js';
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

export function addMail(state: State, { kind, email, createdAt }: NewMail): void {
  const id = nextId(state);
  state.mails.set(id, { id, kind, email, createdAt, dueAt: createdAt, claim: null, attempts: 0 });
}
