import type { User } from '../users/ports/users.js';

/** First name plus last initial: `Dana K.` */
export function leaderName({ firstName, lastName }: Pick<User, 'firstName' | 'lastName'>): string {
  const [initial] = lastName.trim();
  return initial === undefined ? firstName : `${firstName} ${initial.toUpperCase()}.`;
}
