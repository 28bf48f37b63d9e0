import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrganization, aUser } from '@rollcall/core/testing';
import { startTestService } from '#test/support/test-service.js';

for (const database of ['sqlite', 'postgres'] as const) {
  test(`An address that an import has changed is erased, too (decision 126), over ${database}`, async () => {
    const { core, ports, load, stop } = await startTestService({ database });
    try {
      const organization = { id: 1 };
      const person = aUser(7, { email: 'canary@example.test' });
      const memberships = [7, 8].map((userId) => {
        return { organizationId: 1, userId, role: 'member', idpId: null } as const;
      });
      await load({ organizations: [anOrganization(1)], users: [person, aUser(8)], memberships });
      await core.issueLoginLink({ organization, uuid: person.uuid });
      const to = 'canary-new@example.test';
      await load({ users: [{ ...person, email: to }, aUser(8)] });
      const { items } = await core.listActivity({ organization });
      assert.deepEqual(
        items.map(({ action, subject, actor }) => [action, subject, actor.who.kind]),
        [
          ['login-link-issued', person.email, 'program'],
          ['email-changed', `${person.email} → ${to}`, 'operator'],
        ],
      );
      await core.eraseUser({ email: to });
      const { entries } = await ports.auditTrail.list({ organizationId: 1, offset: 0, limit: 9 });
      assert.doesNotMatch(JSON.stringify(entries), /canary/i);
    } finally {
      await stop();
    }
  });
}
