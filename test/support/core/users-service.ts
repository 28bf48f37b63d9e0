import { type Invited, Secret } from '@rollcall/core';
import { anOrganization, aUser } from '@rollcall/core/testing';
import { eventName } from '#core/testing/subscribe.js';
import type { TestService } from '../test-service.js';
import { tokenOf } from './refused.js';
import { serviceTest } from './service-test.js';

export const dana = { email: 'Dana@Example.TEST ', firstName: 'Dana', lastName: 'Kim' };
export const password = new Secret('correct horse');

/** Tests with users 1 and 2; user 1 owns organization 2 and can sign in with `password`. */
export const usersTest = serviceTest(
  {
    organizations: [anOrganization(1), anOrganization(2)],
    users: [aUser(1), aUser(2)],
    memberships: [{ organizationId: 2, userId: 1, role: 'owner', idpId: null }],
  },
  {
    async prepare({ ports: { users, passwords } }) {
      await users.setPasswordHash({ userId: 1, hash: await passwords.hash(password) });
    },
  },
);

export const invite = (service: TestService, person = dana, organizationId = 1): Promise<Invited> =>
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
    webhook: { url: 'https://partner.test/hooks', enabled: true, events: [eventName] },
  });

export const events = (service: TestService, organizationId = 1) =>
  service.ports.deliveries.list({ organizationId, limit: 100 });
