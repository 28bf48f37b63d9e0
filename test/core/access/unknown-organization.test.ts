import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Core, Refusal } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { startTestService } from '../../support/test-service.js';
import { webhookAt } from '../../support/webhook-at.js';

const person = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' };
const webhook = webhookAt('https://partner.test/hooks');

/** Calls that a program can make for an organization that does not exist, and the field that each refusal names. */
const calls: Readonly<
  Record<string, { readonly field: string; call(core: Core, id: number): Promise<unknown> }>
> = {
  registerUser: {
    field: 'organizationId',
    call: (core, organizationId) => core.registerUser({ organizationId, ...person }),
  },
  'registerUser for an existing user': {
    field: 'organizationId',
    call: (core, organizationId) =>
      core.registerUser({ organizationId, ...person, email: aUser(1).email, idpId: 'idp-1' }),
  },
  inviteUser: {
    field: 'organization.id',
    call: (core, id) => core.inviteUser({ organization: { id }, ...person }),
  },
  inviteUsers: {
    field: 'organization.id',
    call: (core, id) => core.inviteUsers({ organization: { id }, users: [person] }),
  },
  inviteLines: {
    field: 'organization.id',
    call: (core, id) => core.inviteLines({ organization: { id }, text: 'dana@example.test,Dana,Kim' }),
  },
  answerOnce: {
    field: 'organization.id',
    call: (core, id) =>
      core.answerOnce({
        ...{ organization: { id }, operation: 'trial', key: 'key', fingerprint: 'one' },
        work: () => assert.fail('the work was done'),
      }),
  },
  configureWebhook: {
    field: 'organization.id',
    call: (core, id) => core.configureWebhook({ organization: { id }, how: 'set', webhook }),
  },
};

describe('An unknown organization', () => {
  for (const [name, { field, call }] of Object.entries(calls)) {
    test(`${name} refuses it, names the field and stores nothing`, async (t) => {
      const service = await startTestService();
      t.after(() => service.stop());
      await service.load({ users: [aUser(1)] });
      for (const id of [99, 0, -1, 1.5, 2 ** 53, Number.NaN]) {
        await assert.rejects(call(service.core, id), (error: unknown) => {
          assert.ok(error instanceof Refusal, String(error));
          assert.equal(error.code, 'organization-not-found');
          assert.deepEqual(error.texts(), [`${field}: there is no organization ${id}`]);
          return true;
        });
      }
      assert.equal(await service.ports.users.byEmail(person.email), null);
    });
  }
});
