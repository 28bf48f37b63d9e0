import { createCore } from '@rollcall/core';
import { anOrganization, memoryPorts, recordingSender } from '@rollcall/core/testing';
import { webhookAt } from '../webhook-at.js';

/** A core over memory with this many failed deliveries, which counts the wakes of its dispatcher. */
export async function startWithFailedDeliveries(count: number) {
  let wakes = 0;
  const webhookSender = recordingSender(() => ({
    duration: 1,
    outcome: 'failed',
    phase: 'answer',
    status: 500,
    reason: 'answered 500',
  }));
  const dispatcher = {
    wake() {
      wakes += 1;
    },
  };
  const { ports, load } = memoryPorts({ webhookSender, dispatcher });
  await load({ organizations: [anOrganization(1)] });
  const core = createCore(ports, { links: { invitation: () => '', login: () => '', defaultAvatar: '' } });
  const webhook = webhookAt('https://receiver.test/');
  await core.configureWebhook({ organization: { id: 1 }, how: 'set', webhook });
  for (let index = 0; index < count; index += 1) {
    const email = `user-${index}@example.test`;
    await core.registerUser({ organizationId: 1, email, firstName: 'U', lastName: 'U' });
    await Promise.all(await core.deliverWebhooks({ limit: 1 }));
  }
  wakes = 0;
  return { core, wakes: () => wakes };
}
