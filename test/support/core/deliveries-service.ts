import { anOrganization, aUser } from '@rollcall/core/testing';
import type { TestService } from '../test-service.js';
import { organization } from './organization.js';
import { serviceTest } from './service-test.js';
import { enabled } from './webhook-core.js';

/** Tests with organizations 1 and 2, users 1 and 2 and no webhook. */
export const deliveriesTest = serviceTest({
  organizations: [anOrganization(1), anOrganization(2)],
  users: [aUser(1), aUser(2)],
});

export const configure = (service: TestService, webhook: unknown = enabled, regenerateSecret?: unknown) =>
  service.core.configureWebhook({ organization, how: 'change', webhook, regenerateSecret });

export const register = (service: TestService, email = 'new@example.test') =>
  service.core.registerUser({ organizationId: 1, email, firstName: 'New', lastName: 'Person' });

export const deliver = async (service: TestService) =>
  Promise.all(await service.core.deliverWebhooks({ limit: 10 }));

export const deliveryLog = (service: TestService) =>
  service.ports.deliveries.list({ organizationId: 1, limit: 10 });
