import assert from 'node:assert/strict';
import { Secret } from '@rollcall/core';
import { anOrganization, aUser } from '@rollcall/core/testing';
import type { TestService } from '../test-service.js';
import { organization } from './organization.js';
import { tokenOf } from './refused.js';
import { serviceTest } from './service-test.js';

/** Tests whose user 1 owns organization 1; organization 2 has no members. */
export const invitationsTest = serviceTest({
  organizations: [anOrganization(1), anOrganization(2)],
  users: [aUser(1)],
  memberships: [{ organizationId: 1, userId: 1, role: 'owner', idpId: null }],
});

export const accept = (service: TestService, url: string) =>
  service.core.acceptInvitation({
    token: tokenOf(url),
    person: { is: 'new', firstName: 'Dana', lastName: 'Kim', password: new Secret('correct horse') },
    address: 'a',
  });

export const onlyInvitation = async (service: TestService) => {
  const { items } = await service.core.listInvitations({ organization });
  assert.equal(items.length, 1);
  return items[0] as (typeof items)[number];
};
