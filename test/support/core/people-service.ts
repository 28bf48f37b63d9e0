import { type Actor, Secret } from '@rollcall/core';
import { anOrganization, aUser } from '@rollcall/core/testing';
import { serviceTest } from './service-test.js';

export const password = new Secret('correct horse');
export const by: Actor = { who: { kind: 'user', userId: 1 }, from: '192.0.2.7' };
export const operator: Actor = { who: { kind: 'command-line' }, from: null };

/** Tests with an owner, an admin and a member of organization 1, who are users 1 to 3; user 4 has no organization. */
export const peopleTest = serviceTest(
  {
    organizations: [anOrganization(1), anOrganization(2)],
    users: [aUser(1), aUser(2), aUser(3), aUser(4)],
    memberships: [
      { organizationId: 1, userId: 1, role: 'owner', idpId: null },
      { organizationId: 1, userId: 2, role: 'admin', idpId: null },
      { organizationId: 1, userId: 3, role: 'member', idpId: null },
      { organizationId: 2, userId: 3, role: 'owner', idpId: null },
    ],
  },
  {
    async prepare({ ports: { users, passwords } }) {
      await users.setPasswordHash({ userId: 1, hash: await passwords.hash(password) });
    },
  },
);
