import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { MembershipFacts } from '@rollcall/core';
import { userRegistered } from '@rollcall/core/adapters';
import { anOrganization, aUser, testUuid } from '@rollcall/core/testing';
import { eventName } from '#core/testing/subscribe.js';
import { testNow } from '../../support/test-service.js';

test('the event of a registration says whom it names', () => {
  const facts: MembershipFacts = {
    organization: { ...anOrganization(1), timeZone: null, accessKeyGeneration: 1, previousAccessKey: null },
    member: {
      ...{ organizationId: 1, user: aUser(7), uuid: testUuid(70), role: 'member', idpId: null },
      joinedAt: testNow,
    },
  };
  const { about, name } = userRegistered(facts, { id: testUuid(1), at: testNow });
  equal(name, eventName);
  deepEqual(about, { id: 7, uuid: testUuid(70), email: aUser(7).email });
});
