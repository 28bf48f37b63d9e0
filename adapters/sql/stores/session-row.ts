import type { Session } from '@rollcall/core';

export interface SessionColumns {
  readonly bound_to: number | null;
  readonly opened_at: string;
  readonly seen_at: string;
  readonly device: string | null;
}

export const sessionColumns = 'sessions.bound_to, sessions.opened_at, sessions.seen_at, sessions.device';

export function toSession(row: SessionColumns): Omit<Session, 'user'> {
  return {
    boundTo: row.bound_to,
    createdAt: new Date(row.opened_at),
    seenAt: new Date(row.seen_at),
    device: row.device,
  };
}
