import type { User } from '../users/user.js';
import { initialOf } from '../values/initial.js';

/** First name plus last initial: `Dana K.` */
export function leaderName({ firstName, lastName }: Pick<User, 'firstName' | 'lastName'>): string {
  const initial = initialOf(lastName);
  return initial === null ? firstName : `${firstName} ${initial}.`;
}
