import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCore, Unavailable } from '@rollcall/core';
import { anOrganization, memoryPorts } from '@rollcall/core/testing';
import { organization } from '../../support/core/organization.js';
import { enabled } from '../../support/core/webhook-core.js';

describe('attemptDelivery', () => {
  test('stores the outcome when the database is available again, without repeating the request', async () => {
    const memory = memoryPorts();
    let failuresLeft = 5;
    const { finish } = memory.ports.outbox;
    const outbox = {
      ...memory.ports.outbox,
      finish: (result: Parameters<typeof finish>[0]) => {
        failuresLeft -= 1;
        return failuresLeft >= 0
          ? Promise.reject(new Unavailable('The database is unavailable'))
          : finish(result);
      },
    };
    const core = createCore(
      { ...memory.ports, outbox },
      { links: { invitation: () => '', login: () => '', defaultAvatar: '' } },
    );
    await memory.load({ organizations: [anOrganization(1)] });
    await core.configureWebhook({ organization, how: 'set', webhook: enabled });
    await core.registerUser({
      organizationId: 1,
      email: 'new@example.test',
      firstName: 'New',
      lastName: 'Person',
    });
    const reports = await Promise.all(await core.deliverWebhooks({ limit: 1 }));
    assert.deepEqual(
      reports.map(({ state }) => state),
      ['delivered'],
    );
    assert.equal(memory.webhookSender.sent.length, 1);
    assert.equal(
      (await memory.ports.deliveries.list({ organizationId: 1, limit: 1 }))[0]?.state,
      'delivered',
    );
  });
});
