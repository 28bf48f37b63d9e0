import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { createCore, Secret } from '@rollcall/core';
import { anOrganization, aUser, memoryPorts } from '@rollcall/core/testing';

test('each limit of this chapter is counted under its own name, which the metrics of the operator show', async () => {
  const mailer = { send: async () => ({ outcome: 'sent' }) as const };
  const { ports, load } = memoryPorts({ mailer });
  const counted = new Map<string, string>();
  ports.limits.consume = async ({ name }, subject) => {
    counted.set(name, subject);
    return 0;
  };
  await load({
    organizations: [anOrganization(1)],
    users: [aUser(1)],
    memberships: [{ organizationId: 1, userId: 1, role: 'owner', idpId: null }],
  });
  const core = createCore(ports, {
    links: {
      invitation: () => '',
      login: () => '',
      activity: () => '',
      webhook: () => '',
      passwordReset: () => '',
      defaultAvatar: '',
    },
  });
  const [{ email }, address] = [aUser(1), '192.0.2.1'];
  await core.signIn({ email, password: new Secret('a guess'), address }).catch(() => {});
  await core.requestPasswordReset({ email, address });
  const dana = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' };
  await core.inviteUser({ organization: { id: 1 }, ...dana, sendMail: true });
  for (let count = 0; count < 2; count += 1) await core.generateAccessKey({ organizationId: 1 });
  await ports.mails.add({ kind: 'webhook-working', email, organizationId: 1, createdAt: ports.clock.now() });
  await core.sendMails({ limit: 9 });
  deepEqual(Object.fromEntries(counted), {
    'sign-in-address': address,
    'sign-in-account': email,
    'password-reset-address': address,
    'password-reset-account': email,
    'invitation-mail-recipient': dana.email,
    'invitation-mail-organization': '1',
    'access-key-mail-organization': '1',
    'access-key-mail-recipient': `1 ${email}`,
    'mail-organization': '1',
    'mail-recipient': email,
  });
});
