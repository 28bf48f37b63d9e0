import type { User } from '@rollcall/core';

export interface UserRow {
  readonly user_id: number;
  readonly user_uuid: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly avatar: string | null;
  readonly user_created_at: string;
}

/** The columns of a `UserRow`, of the table `users`. */
export const userColumns =
  'users.id AS user_id, users.uuid AS user_uuid, users.email, users.first_name, users.last_name, ' +
  'users.avatar, users.created_at AS user_created_at';

export function toUser(row: UserRow): User {
  return {
    id: row.user_id,
    uuid: row.user_uuid,
    email: row.email,
    firstName: row.first_name,
    lastName: row.last_name,
    avatar: row.avatar,
    createdAt: new Date(row.user_created_at),
  };
}
