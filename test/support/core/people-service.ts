import { test } from 'node:test';
import { type Actor, Secret } from '@rollcall/core';
import { anOrganization, aUser } from '@rollcall/core/testing';
import type { DatabaseKind } from '../storage.js';
import { startTestService, type TestService } from '../test-service.js';

export const password = new Secret('correct horse');
export const by: Actor = { who: { kind: 'user', userId: 1 }, from: '192.0.2.7' };
export const operator: Actor = { who: { kind: 'command-line' }, from: null };

/** Tests with an owner, an admin and a member of organization 1, who are users 1 to 3; user 4 has no organization. */
export function peopleTest(database: DatabaseKind) {
  return (name: string, work: (service: TestService) => Promise<void>) =>
    test(name, async () => {
      const service = await startTestService({ database });
      try {
        await service.load({
          organizations: [anOrganization(1), anOrganization(2)],
          users: [aUser(1), aUser(2), aUser(3), aUser(4)],
          memberships: [
            { organizationId: 1, userId: 1, role: 'owner', idpId: null },
            { organizationId: 1, userId: 2, role: 'admin', idpId: null },
            { organizationId: 1, userId: 3, role: 'member', idpId: null },
            { organizationId: 2, userId: 3, role: 'owner', idpId: null },
          ],
        });
        const hash = await service.ports.passwords.hash(password);
        await service.ports.users.setPasswordHash({ userId: 1, hash });
        await work(service);
      } finally {
        await service.stop();
      }
    });
}
