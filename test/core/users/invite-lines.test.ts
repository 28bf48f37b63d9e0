import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Actor } from '@rollcall/core';
import { problemText } from '@rollcall/core/adapters';
import { aUser } from '@rollcall/core/testing';
import { invitationsTest } from '../../support/core/invitations-service.js';
import { organization } from '../../support/core/organization.js';
import { refused } from '../../support/core/refused.js';
import type { TestService } from '../../support/test-service.js';

const by: Actor = { who: { kind: 'user', userId: 1 }, from: '192.0.2.7' };
const invite = (service: TestService, text: string) => service.core.inviteLines({ organization, text, by });
const dana = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' };

describe('inviteLines', () => {
  invitationsTest(
    'reports the result of each line; an invalid line does not affect the others',
    async (service) => {
      const text = [
        'Email,First name,Last name',
        'one@example.test, One, Person',
        '',
        'two@example.test;"Two; junior";Person',
        '"three@example.test"\t"Three ""3"""\tO\'Neil, Jr.',
        'nobody,No,Body',
        'ONE@example.test,Again,Person',
        `${aUser(1).email},Al,Ready`,
        'four@example.test,Four',
        'five@example.test,Five,Person,five-1,more',
        '\ufeffsix@example.test,,Person',
        'seven@example.test,\u200fSeven <b>,=1+1',
        'eight@example.test,Eight,Person,id-8',
        'nine@example.test,Nine,Person,id-8',
        'ten@example.test,Ten,Person,',
        'eleven@example.test,Eleven,Person,taken',
      ].join('\r\n');
      const other = { ...dana, email: 'other@example.test', idpId: 'taken' };
      await service.core.inviteUser({ organization, ...other });
      const results = await invite(service, text);
      assert.deepEqual(
        results.map(({ line, email, invited, problems }) => [
          line,
          email,
          invited === null
            ? problems.map((problem) => problemText(problem).split(' ').slice(0, 4).join(' '))
            : invited.firstName,
        ]),
        [
          [2, 'one@example.test', 'One'],
          [4, 'two@example.test', 'Two; junior'],
          [5, 'three@example.test', 'Three "3"'],
          [6, 'nobody', ['email must be an']],
          [7, 'ONE@example.test', ['email is in line']],
          [8, aUser(1).email, ['email: this user is']],
          [9, 'four@example.test', ['Needs an email address,']],
          [10, 'five@example.test', ['Needs an email address,']],
          [11, 'six@example.test', ['firstName must not be']],
          [12, 'seven@example.test', '\u200fSeven <b>'],
          [13, 'eight@example.test', 'Eight'],
          [14, 'nine@example.test', ['idpId is in line']],
          [15, 'ten@example.test', 'Ten'],
          [16, 'eleven@example.test', ['idpId belongs to a']],
        ],
      );
      const { items, totalItems } = await service.core.listInvitations({ organization });
      assert.deepEqual([totalItems, (await service.core.listActivity({ organization })).totalItems], [7, 7]);
      const idpIds = new Map(items.map(({ email, idpId }) => [email, idpId]));
      assert.deepEqual([idpIds.get('eight@example.test'), idpIds.get('ten@example.test')], ['id-8', null]);
      const [first] = results;
      const again = { ...dana, email: 'one@example.test' };
      assert.deepEqual(await service.core.inviteUser({ organization, ...again }), {
        ...first?.invited,
        isNew: false,
      });
    },
  );

  invitationsTest('returns the same URLs when it is repeated', async (service) => {
    const text = 'a@example.test\tA\tB\nb@example.test\tA\tB\r';
    const first = await invite(service, text);
    assert.equal(first.length, 2);
    assert.deepEqual(await invite(service, text), first);
  });

  invitationsTest('accepts 1 to 500 lines', async (service) => {
    const lines = (count: number) =>
      Array.from({ length: count }, (_, index) => `nobody-${index},No,Body`).join('\n');
    assert.equal((await invite(service, `email\n${lines(500)}\n\n`)).length, 500);
    await assert.rejects(invite(service, lines(501)), refused('invalid-request'));
    for (const empty of ['', '\n \n', 'E-mail address,First name,Last name']) {
      await assert.rejects(invite(service, empty), refused('invalid-request'));
    }
  });
});

describe('The text of inviteLines', () => {
  invitationsTest('says what is wrong with a text and with a line', async (service) => {
    const people = (text: string) => refused('invalid-request', `people ${text}`);
    await assert.rejects(invite(service, 'email'), people('must have at least one line'));
    const many = 'nobody\n'.repeat(501);
    await assert.rejects(invite(service, many), people('must have at most 500 lines'));
    const problemsOf = async (line: string) => (await invite(service, line)).map(({ problems }) => problems);
    const needed = 'Needs an email address, a first name and a last name, and may have an ID.';
    for (const [line, count] of [
      ['dana@example.test', '1 field'],
      ['dana@example.test,Dana', '2 fields'],
      ['dana@example.test,Dana,Kim,7,8', '5 fields'],
    ] as const)
      assert.deepEqual(await problemsOf(line), [
        [{ field: null, code: 'malformed', message: `${needed} This line has ${count}` }],
      ]);
  });

  invitationsTest(
    'skips a heading in any of its usual forms, also after a byte order mark',
    async (service) => {
      const line = 'dana@example.test,Dana,Kim';
      for (const heading of [
        'email',
        'E-Mail',
        'Email address',
        'E-mail Address',
        'EMAIL_ADDRESS',
        '\ufeffEmail',
        '\ufeff"E-mail"',
      ]) {
        const results = await invite(service, `${heading},First name,Last name\n${line}`);
        assert.deepEqual(
          results.map(({ line: number, problems }) => [number, problems]),
          [[2, []]],
          heading,
        );
      }
      for (const other of ['my email', 'emails', 'mail', 'address']) {
        const results = await invite(service, `${other},First name,Last name\n${line}`);
        assert.deepEqual(
          results.map(({ line: number, problems }) => [number, problems.length]),
          [
            [1, 1],
            [2, 0],
          ],
          other,
        );
      }
    },
  );

  invitationsTest('reads quotes and separators as a spreadsheet writes them', async (service) => {
    const read = async (line: string, number: number) => {
      const email = `p${number}@example.test`;
      const [result] = await invite(service, `${email}${line}`);
      assert.equal(result?.email, email);
      return result.invited === null
        ? result.problems.map((problem) => problemText(problem))
        : [result.invited.firstName, result.invited.lastName];
    };
    const expected: readonly (readonly [line: string, fields: readonly string[]])[] = [
      [',Ann,"Lee; junior"', ['Ann', 'Lee; junior']],
      [',"Ann; Annie","Lee; junior"', ['Ann; Annie', 'Lee; junior']],
      [',"","Lee; junior"', ['firstName must not be empty']],
      [';"Ann, Annie";Lee', ['Ann, Annie', 'Lee']],
      [', "Ann, Annie" , " Lee "', ['Ann, Annie', 'Lee']],
      [',Ann "Annie",O"Neil" Lee', ['Ann "Annie"', 'O"Neil" Lee']],
      [',"Ann" Lee,"Lee" and "Kim"', ['"Ann" Lee', 'Lee" and "Kim']],
      [',"Ann ""Annie""","Lee\u200cKim"', ['Ann "Annie"', 'Lee\u200cKim']],
      [
        ',Ann,"Lee\u2028Kim"',
        ['lastName must not contain line breaks or characters that change the direction of text'],
      ],
    ];
    for (const [number, [line, fields]] of expected.entries())
      assert.deepEqual(await read(line, number), fields, line);
  });
});
