import { test } from 'node:test';
import { anOrganization, aUser } from '@rollcall/core/testing';
import type { DatabaseKind } from '../storage.js';
import { startTestService, type TestService } from '../test-service.js';
import { organization } from './organization.js';
import { enabled } from './webhook-core.js';

/** Tests with organizations 1 and 2, users 1 and 2 and no webhook. */
export function deliveriesTest(database: DatabaseKind) {
  return (name: string, work: (service: TestService) => Promise<void>) =>
    test(name, async () => {
      const service = await startTestService({ database });
      try {
        await service.load({
          organizations: [anOrganization(1), anOrganization(2)],
          users: [aUser(1), aUser(2)],
        });
        await work(service);
      } finally {
        await service.stop();
      }
    });
}

export const configure = (service: TestService, webhook: unknown = enabled, regenerateSecret?: unknown) =>
  service.core.configureWebhook({ organization, how: 'change', webhook, regenerateSecret });

export const register = (service: TestService, email = 'new@example.test') =>
  service.core.registerUser({ organizationId: 1, email, firstName: 'New', lastName: 'Person' });

export const deliver = async (service: TestService) =>
  Promise.all(await service.core.deliverWebhooks({ limit: 10 }));

export const deliveryLog = (service: TestService) =>
  service.ports.deliveries.list({ organizationId: 1, limit: 10 });
