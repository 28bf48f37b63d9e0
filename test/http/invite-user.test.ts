import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import { apiSuite } from '../support/http/api-suite.js';
import type { Reply } from '../support/http/reply.js';
import { testSeenAnswers } from '../support/http/seen-answers.js';
import type { TestOrganization } from '../support/http/service.js';
import { publicUrl } from '../support/test-service.js';

const dana = { email: 'dana@northwind.test', first_name: 'Dana', last_name: 'Kim' };

apiSuite((service) => {
  const invite = ({ post }: TestOrganization, json: unknown) => post('/invite_user', json);
  const form = ({ post }: TestOrganization, body: string, type = 'application/x-www-form-urlencoded') =>
    post('/invite_user', undefined, { body, headers: { 'Content-Type': type } });
  const multipart = (organization: TestOrganization, body: string) =>
    form(organization, body, 'multipart/form-data; boundary=edge');

  describe('POST /organizations/:id/invite_user (4.2)', () => {
    test('answers the invited user and the URL of the invitation', async () => {
      const { status, json } = await invite(await service().organization(), dana);
      assert.equal(status, 200);
      const { id, invitation_url } = json.user;
      assert.deepEqual(json, {
        success: 'User invited successfully.',
        user: { id, email: dana.email, first_name: 'Dana', last_name: 'Kim', invitation_url },
      });
      assert.deepEqual(Object.keys(json.user), ['id', 'email', 'first_name', 'last_name', 'invitation_url']);
      assert.ok(invitation_url.startsWith(`${publicUrl}/invitations/`));
    });

    test('JSON, form and multipart requests get the same answer (decision 17)', async () => {
      const organization = await service().organization();
      const replies = [
        await invite(organization, dana),
        await form(organization, 'email=dana%40northwind.test&first_name=Dana&last_name=Kim'),
        await multipart(organization, parts(dana)),
      ];
      const [first] = replies;
      for (const { status, text } of replies) assert.deepEqual([status, text], [200, first?.text]);
    });

    test('forms are read as UTF-8, with + as a space', async () => {
      const organization = await service().organization();
      const names = { first_name: 'Zoë Ann', last_name: 'Łukasz & 漢字' };
      const body = new URLSearchParams({ ...dana, ...names }).toString();
      const { json } = await form(organization, body, 'application/x-www-form-urlencoded; charset=UTF-8');
      assert.deepEqual([json.user.first_name, json.user.last_name], ['Zoë Ann', 'Łukasz & 漢字']);
      const again = await multipart(await service().organization(), parts({ ...dana, ...names }));
      assert.deepEqual([again.json.user.first_name, again.json.user.last_name], ['Zoë Ann', 'Łukasz & 漢字']);
    });

    test('an existing member, and the idp_id of one: 400 (decision 17)', async () => {
      const organization = await service().organization({}, (id) => ({
        users: [aUser(id, { email: `member-${id}@northwind.test` })],
        memberships: [{ organizationId: id, userId: id, role: 'member', idpId: 'E-1' }],
      }));
      const { status, headers } = await invite(organization, {
        ...dana,
        email: `MEMBER-${organization.id}@northwind.test`,
      });
      assert.deepEqual([status, headers['x-error-code']], [400, 'already-member']);
      const taken = await invite(organization, { ...dana, idp_id: 'E-1' });
      assert.deepEqual([taken.status, taken.json], [400, { error: 'idp_id belongs to another member' }]);
    });

    test('an invitation that expires has the same answer, and is revoked as of its end', async () => {
      const organization = await service().organization();
      const days = { ...dana, expires_in_days: 30 };
      const { status, json } = await invite(organization, days);
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(json.user), ['id', 'email', 'first_name', 'last_name', 'invitation_url']);
      for (const again of [
        await form(
          organization,
          'email=eve%40northwind.test&first_name=Eve&last_name=Kim&expires_in_days=365',
        ),
        await multipart(organization, parts({ ...dana, email: 'ann@northwind.test', expires_in_days: '1' })),
      ])
        assert.equal(again.status, 200);
      const each = { users: [{ ...dana, email: 'bob@northwind.test', expires_in_days: 7 }] };
      assert.equal((await organization.post('/invite_users', each)).json.results[0].status, 'created');
      const wrong = { users: [{ ...dana, email: 'cy@northwind.test', expires_in_days: 400 }] };
      const refused = (await organization.post('/invite_users', wrong)).json.results[0];
      assert.deepEqual(
        [refused.code, refused.error],
        ['invalid-request', 'expires_in_days must be a whole number from 1 to 365'],
      );
      const { items } = await service().core.listInvitations({ organization: { id: organization.id } });
      assert.deepEqual(
        items
          .map(({ email, createdAt, expiresAt }) => [
            email.split('@')[0],
            ((expiresAt?.getTime() ?? 0) - createdAt.getTime()) / (24 * 60 * 60 * 1000),
          ])
          .sort(),
        [
          ['ann', 1],
          ['bob', 7],
          ['dana', 30],
          ['eve', 365],
        ],
      );
    });

    test('unknown fields are ignored', async () => {
      const organization = await service().organization();
      const extra = JSON.parse('{"id":"x","success":false,"__proto__":{"email":"x"},"constructor":1}');
      const { status, json } = await invite(organization, { ...dana, ...extra });
      assert.deepEqual([status, json.user.email], [200, dana.email]);
    });
  });

  describe('Invalid requests get 400 that names the field and the allowed values', () => {
    const messages: readonly (readonly [string, unknown, string])[] = [
      ['nothing', {}, 'email is required; first_name is required; last_name is required'],
      [
        'numbers',
        { email: 1, first_name: 2, last_name: 3 },
        'email must be a string; first_name must be a string; last_name must be a string',
      ],
      ['a list', { ...dana, email: [dana.email] }, 'email must be a string'],
      [
        'text that is not an address',
        { ...dana, email: 'dana' },
        'email must be an email address such as dana@example.com',
      ],
      ['an empty name', { ...dana, first_name: '' }, 'first_name must not be empty'],
      [
        'a long name',
        { ...dana, first_name: 'x'.repeat(301) },
        'first_name must have at most 300 characters',
      ],
      [
        'NUL',
        { ...dana, last_name: 'K\u0000' },
        'last_name must not contain NUL or half of a surrogate pair',
      ],
      ...[0, 366, 1.5, '0', '366', '1e2', 'x', '', true].map(
        (days) =>
          [
            `${JSON.stringify(days)} days`,
            { ...dana, expires_in_days: days },
            'expires_in_days must be a whole number from 1 to 365',
          ] as const,
      ),
      ['a list as the body', [dana], 'The body must be a JSON object'],
      ['a string as the body', 'dana', 'The body must be a JSON object'],
      ['null as the body', null, 'The body must be a JSON object'],
      [
        'several errors at once',
        { email: 'dana', first_name: '' },
        'email must be an email address such as dana@example.com; first_name must not be empty; last_name is required',
      ],
    ];
    for (const [name, json, error] of messages) {
      test(`${name}: ${error}`, async () => {
        const reply = await invite(await service().organization(), json);
        assert.deepEqual(outcome(reply), [400, 'invalid-request', error]);
      });
    }

    test('no body at all', async () => {
      const reply = await (await service().organization()).post('/invite_user');
      assert.deepEqual(outcome(reply), [400, 'invalid-request', messages[0]?.[2]]);
    });

    test('a field that is repeated in a form', async () => {
      const organization = await service().organization();
      const twice = 'email=a%40b.test&email=c%40d.test&first_name=D&last_name=K';
      const expected = [400, 'invalid-request', 'email must be a string'];
      assert.deepEqual(outcome(await form(organization, twice)), expected);
      const body = parts(dana).replace('--edge--', `${part('email', 'x@y.test')}--edge--`);
      assert.deepEqual(outcome(await multipart(organization, body)), expected);
    });

    test('NUL in a form', async () => {
      const reply = await form(
        await service().organization(),
        'email=a%40b.test&first_name=D%00&last_name=K',
      );
      assert.match(reply.json.error, /^first_name must not contain NUL/);
    });

    const malformed: readonly (readonly [string, string, string])[] = [
      ['a broken escape', 'application/x-www-form-urlencoded', 'email=%zz&first_name=D&last_name=K'],
      [
        'an escape that is not UTF-8',
        'application/x-www-form-urlencoded',
        'email=%ff&first_name=D&last_name=K',
      ],
      ['more than 100 fields', 'application/x-www-form-urlencoded', 'x=1&'.repeat(101)],
      [
        'more than 100 parts',
        'multipart/form-data; boundary=edge',
        `${part('x', '1').repeat(101)}--edge--\r\n`,
      ],
      [
        'a file',
        'multipart/form-data; boundary=edge',
        `${part('email', 'x', '; filename="a.txt"')}--edge--\r\n`,
      ],
      ['a multipart body without an end', 'multipart/form-data; boundary=edge', part('email', 'x')],
      ['a multipart body without a boundary', 'multipart/form-data', parts(dana)],
      ['a multipart body without parts', 'multipart/form-data; boundary=edge', 'hello'],
    ];
    for (const [name, type, body] of malformed) {
      test(`${name}: malformed-body`, async () => {
        const { status, headers } = await form(await service().organization(), body, type);
        assert.deepEqual([status, headers['x-error-code']], [400, 'malformed-body']);
      });
    }
  });
});

function outcome({ status, headers, json }: Reply): readonly unknown[] {
  return [status, headers['x-error-code'], json.error];
}

function part(name: string, value: string, more = ''): string {
  return `--edge\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
}

function parts(fields: Readonly<Record<string, string>>): string {
  return `${Object.entries(fields)
    .map(([name, value]) => part(name, value))
    .join('')}--edge--\r\n`;
}

testSeenAnswers('invite-user');
