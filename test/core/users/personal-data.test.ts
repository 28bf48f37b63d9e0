import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import {
  erasedBody,
  erasedPerson,
  erasedSubject,
  hostNames,
  isErased,
  mentionsAddress,
  readEmailChange,
  renamedHosts,
} from '@rollcall/core/adapters';
import { aUser } from '@rollcall/core/testing';
import { eventName } from '#core/testing/subscribe.js';
import { emailChangeSubject } from '#core/users/email-change.js';

const { uuid, email } = aUser(7);
const user = { id: 7, uuid, email, first_name: 'Dana' };
const event = { event: eventName, organization: { id: 1 }, user };
/** Bodies of no event, such as those of other releases or programs. */
const others = ['', 'x', '7', 'null', '"text"', '[]', '{}', '{"user":null}', '{"user":7}', '{"user":"dana"}'];

test('an erased body has nothing of the person and everything else, and says that it was erased', () => {
  const body = erasedBody(JSON.stringify(event));
  const nobody = { id: null, uuid: null, email: null, first_name: null };
  deepEqual(JSON.parse(body), { ...event, user: nobody, erased: true });
  equal(isErased(body), true);
  equal(isErased(JSON.stringify(event)), false);
  equal(isErased(JSON.stringify({ ...event, erased: 'yes' })), false);
  for (const other of others) deepEqual([erasedBody(other), isErased(other)], [other, false]);
});

test('an address is found as a whole word in any case, with every character meant as it is', () => {
  const found = (text: string, ...emails: readonly string[]) => mentionsAddress(text, emails);
  deepEqual(
    [
      found('dana@example.test: owner', 'dana@example.test'),
      found('is DANA@example.test.', 'kim@example.test', 'dana@example.test'),
      found('dana@example.test', 'kim@example.test'),
      found('dana@example.tests', 'dana@example.test'),
      found('dana@example.test.org', 'dana@example.test'),
      found('a.dana@example.test', 'dana@example.test'),
      found('danaXkim@exampleXtest', 'dana.kim@example.test'),
      found('d+{x}.*?$^|/kim@example.test', 'd+{x}.*?$^|/kim@example.test'),
      found('dana@example.test'),
    ],
    [true, true, false, false, false, false, false, true, false],
  );
});

test('an audit entry keeps its subject without the addresses of the person', () => {
  const erased = (action: Parameters<typeof erasedSubject>[0]['action'], subject: string) =>
    erasedSubject({ action, subject }, ['dana.x+1@example.test', 'kim@example.test']);
  deepEqual(
    [
      erased('role-changed', 'Dana.X+1@example.test: admin'),
      erased('member-added', 'other@example.test: admin'),
      erased('email-changed', 'kim@example.test → dana.x+1@example.test'),
      erased('idp-id-set', 'kim@example.test: kim-7'),
      erased('name-changed', 'kim@example.test: Kim Old → Kim New'),
      erased('invitation-renewed', 'kim@example.test: Kim Old → Kim New'),
      erased('idp-id-set', 'other@example.test: kim-7'),
    ],
    [
      `${erasedPerson}: admin`,
      'other@example.test: admin',
      erasedPerson,
      erasedPerson,
      erasedPerson,
      erasedPerson,
      'other@example.test: kim-7',
    ],
  );
});

test('the host of a meeting is a name of its leader in every form that meetings show', () => {
  deepEqual(hostNames({ firstName: 'Dana', lastName: 'Kim' }), ['Dana K.', 'Dana Kim', 'Dana', 'Kim']);
  deepEqual(hostNames({ firstName: 'Kim', lastName: 'Kim' }), ['Kim K.', 'Kim Kim', 'Kim']);
  const [before, after] = [
    { firstName: 'Kim', lastName: 'Kim' },
    { firstName: 'Dana', lastName: 'Lee' },
  ];
  deepEqual(
    [...renamedHosts(before, after)],
    [
      ['Kim K.', 'Dana L.'],
      ['Kim Kim', 'Dana Lee'],
      ['Kim', 'Dana'],
    ],
  );
});

test('both addresses of a change are in its subject, and are read back', () => {
  const change = { from: 'old@example.test', to: 'new@example.test' };
  equal(emailChangeSubject(change), 'old@example.test → new@example.test');
  deepEqual(readEmailChange(emailChangeSubject(change)), change);
  for (const other of ['', erasedPerson, 'new@example.test', 'old@example.test→new@example.test'])
    equal(readEmailChange(other), null, other);
});
