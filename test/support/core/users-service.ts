import { test } from 'node:test';
import { Secret } from '@rollcall/core';
import { anOrganization, aUser } from '@rollcall/core/testing';
import type { DatabaseKind } from '../storage.js';
import { startTestService, type TestService } from '../test-service.js';
import { tokenOf } from './refused.js';

export const dana = { email: 'Dana@Example.TEST ', firstName: 'Dana', lastName: 'Kim' };
export const password = new Secret('correct horse');

/** Tests with users 1 and 2; user 1 owns organization 2 and can sign in with `password`. */
export function usersTest(database: DatabaseKind) {
  return (name: string, work: (service: TestService) => Promise<void>) =>
    test(name, async () => {
      const service = await startTestService({ database });
      try {
        await service.load({
          organizations: [anOrganization(1), anOrganization(2)],
          users: [aUser(1), aUser(2)],
          memberships: [{ organizationId: 2, userId: 1, role: 'owner', idpId: null }],
        });
        await service.ports.users.setPasswordHash({
          userId: 1,
          hash: await service.ports.passwords.hash(password),
        });
        await work(service);
      } finally {
        await service.stop();
      }
    });
}

export const invite = (service: TestService, person = dana, organizationId = 1) =>
  service.core.inviteUser({ organization: { id: organizationId }, ...person });

export const acceptAsNew = (service: TestService, url: string) =>
  service.core.acceptInvitation({
    token: tokenOf(url),
    person: { is: 'new', firstName: 'Dana', lastName: 'Kim', password },
    address: 'a',
  });

export const acceptAsKnown = (service: TestService, url: string, attempt = password) =>
  service.core.acceptInvitation({
    token: tokenOf(url),
    person: { is: 'known', password: attempt },
    address: 'a',
  });

export const enableWebhook = (service: TestService, organizationId = 1) =>
  service.core.configureWebhook({
    organization: { id: organizationId },
    how: 'set',
    webhook: { url: 'https://partner.test/hooks', enabled: true, events: ['user.registered'] },
  });

export const events = (service: TestService, organizationId = 1) =>
  service.ports.deliveries.list({ organizationId, limit: 100 });
