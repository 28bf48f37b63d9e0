import { storedIn } from '../engine/stored.js';

export const storedUser = storedIn(
  { table: 'users', prefix: 'user_' },
  {
    ...{ id: 'whole', uuid: 'text', email: 'text', firstName: 'text', lastName: 'text' },
    ...{ avatar: 'textOrNull', createdAt: 'time' },
  },
);
