import type { StartedBy, StoredSession } from '@rollcall/core';
import {
  oneOf,
  type StoredRow,
  stored,
  storedIn,
  text,
  textOrNull,
  time,
  wholeOrNull,
} from '../engine/stored.js';

const fields = storedIn(
  'sessions',
  {
    ...{ hash: text, boundTo: wholeOrNull, startedBy: oneOf<StartedBy | null>() },
    ...{ createdAt: time, seenAt: time, device: textOrNull },
  },
  { names: { createdAt: 'opened_at' } },
);

export const storedSessionWithHash = stored<StoredSession>(fields.columns, (row) => {
  const { startedBy, ...session } = fields.read(row);
  // An earlier release does not store how a session began.
  return { ...session, startedBy: startedBy ?? (session.boundTo === null ? 'password' : 'login-link') };
});

/** A session without its user. */
export const storedSession = stored(fields.columns, (row: StoredRow) => {
  const { hash, ...session } = storedSessionWithHash.read(row);
  return session;
});
