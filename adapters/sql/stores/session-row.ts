import type { StartedBy, StoredSession } from '@rollcall/core';
import { oneOf, type StoredRow, stored, storedIn } from '../engine/stored.js';

const fields = storedIn('sessions', {
  ...{ hash: 'text', boundTo: 'wholeOrNull', startedBy: oneOf<StartedBy | null>(), hasSecondFactor: 'flag' },
  ...{ createdAt: ['opened_at', 'time'], seenAt: 'time', device: 'textOrNull' },
});

export const storedSessionWithHash = stored<StoredSession>(fields.columns, (row) => {
  const { startedBy, ...session } = fields.read(row);
  // An earlier release does not store how a session began.
  return { ...session, startedBy: startedBy ?? (session.boundTo === null ? 'password' : 'login-link') };
});

export const storedSession = stored(fields.columns, (row: StoredRow) => {
  const { hash, ...session } = storedSessionWithHash.read(row);
  return session;
});

/** A condition: the session was started by a password. */
export const startedByPassword = `(started_by = 'password' OR (started_by IS NULL AND bound_to IS NULL))`;
