import { storedIn, text, textOrNull, time, whole } from '../engine/stored.js';

export const storedUser = storedIn(
  'users',
  {
    ...{ id: whole, uuid: text, email: text, firstName: text, lastName: text, avatar: textOrNull },
    createdAt: time,
  },
  { prefix: 'user_' },
);
