import type { User } from '@rollcall/core';

export interface PersonRow {
  readonly id: number;
  readonly public_id: string;
  readonly mail: string;
  readonly given: string;
  readonly family: string;
  readonly picture: string | null;
  readonly password: string | null;
  readonly joined: number;
}

export function toUser(row: PersonRow): User {
  return {
    id: row.id,
    uuid: row.public_id,
    email: row.mail,
    firstName: row.given,
    lastName: row.family,
    avatar: row.picture,
    createdAt: new Date(row.joined),
  };
}
