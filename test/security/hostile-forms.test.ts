import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { testUuid } from '@rollcall/core/testing';
import type { Bytes } from '../support/http/client.js';
import { plainText } from '../support/page/client.js';
import {
  assertNoMarkup,
  isUnreadable,
  password,
  type Tried,
  useHostilePages,
} from '../support/security/hostile-pages.js';
import { headerBytes } from '../support/security/hostile-values.js';
import type { Site } from '../support/security/site.js';

const { sendForm, testEach, testNoFailure } = useHostilePages();

const invitedAs = ({ number }: Tried): string => `hostile-${number}@example.test`;

/** The form of an invitation of a new person. */
async function invitation({ core }: Site, tried: Tried): Promise<string> {
  const person = { email: invitedAs(tried), firstName: 'Dana', lastName: 'Kim' };
  const { invitationUrl } = await core.inviteUser({ organization: { id: 1 }, ...person });
  return new URL(invitationUrl).pathname;
}

/** None of the hostile names is part of it, so it is never refused because of one. */
const WITHOUT_NAMES = 'vivid-lantern-42';

describe('Hostile values in every field of every form', () => {
  for (const field of ['email', 'password', 'next'])
    testEach(`signing in with it as ${field} does not sign in, and gets a page`, {
      act: (site, { encoded }) => {
        const fields = { email: 'dana%40example.test', password: 'wrong+one', [field]: encoded };
        return sendForm(site, { page: '/sign-in', fields });
      },
      check(answer, tried) {
        assert.ok(answer.status === 422 || isUnreadable(answer, tried), `${answer.status} ${answer.text}`);
        assert.equal(answer.headers['set-cookie'], undefined);
        assertNoMarkup(answer);
      },
    });

  testEach('signing in with it as the next page does not redirect to another site', {
    act: (site, { encoded }) => {
      const fields = { email: 'dana%40example.test', password: encodeURIComponent(password), next: encoded };
      return sendForm(site, { page: '/sign-in', fields });
    },
    check(answer, tried) {
      if (isUnreadable(answer, tried)) return;
      assert.deepEqual([answer.status, answer.headers.location], [303, '/meetings']);
    },
  });

  for (const [field, refusal] of [
    ['form_token', 403],
    ['unknown_field', 422],
  ] as const)
    testEach(`sending it as ${field} is refused or ignored`, {
      act: (site, { encoded }) =>
        sendForm(site, { page: '/sign-in', fields: { email: 'x', password: 'y', [field]: encoded } }),
      check(answer, tried) {
        assert.ok(answer.status === refusal || isUnreadable(answer, tried), `${answer.status}`);
        assertNoMarkup(answer);
      },
    });

  for (const field of ['first_name', 'last_name'] as const)
    testEach(
      `accepting with it as ${field} shows it as text again, or says next to the field what is allowed`,
      {
        act: async (site, tried) => {
          const fields = { password: WITHOUT_NAMES, [field]: tried.encoded };
          return sendForm(site, { page: await invitation(site, tried), fields });
        },
        async check(answer, tried, site) {
          if (answer.status === 303) await assertNamesShown(site, answer, { field, encoded: tried.encoded });
          else if (answer.status === 422)
            assert.match(
              answer.text,
              new RegExp(`id="${field}-hint">(First|Last) name (must (not|have) |is required<)`),
            );
          else assert.ok(isUnreadable(answer, tried), `${answer.status}`);
          assertNoMarkup(answer);
        },
      },
    );

  testEach(
    'after accepting with it as the password, exactly this password signs in, or the page says what is allowed',
    {
      act: async (site, tried) =>
        sendForm(site, { page: await invitation(site, tried), fields: { password: tried.encoded } }),
      async check(answer, tried, site) {
        assertNoMarkup(answer);
        if (answer.status !== 303)
          return assert.ok(answer.status === 422 || isUnreadable(answer, tried), `${answer.status}`);
        const email = invitedAs(tried);
        for (const [password, status] of [
          [tried.encoded, 303],
          [`${tried.encoded}x`, 422],
        ] as const) {
          const signedIn = await sendForm(site, { page: '/sign-in', fields: { email, password } });
          assert.equal(signedIn.status, status);
        }
      },
    },
  );

  testEach('redeeming with it in the form does not change the link', {
    act: async (site, { encoded }) => {
      const { url } = await site.core.issueLoginLink({ organization: { id: 1 }, uuid: testUuid(1) });
      return sendForm(site, { page: new URL(url).pathname, fields: { organization: encoded } });
    },
    check(answer, tried) {
      if (isUnreadable(answer, tried)) return;
      assert.deepEqual([answer.status, answer.headers.location], [303, '/organizations/1/meetings']);
    },
  });

  for (const header of ['Origin', 'Sec-Fetch-Site', 'Content-Type', 'Cookie'])
    testEach(`a form with it as ${header} is refused`, {
      act: (site, { value }) => {
        const bytes = headerBytes(value);
        if (bytes === null) return null;
        const fields = { email: 'x', password: 'y' };
        return sendForm(site, { page: '/sign-in', fields, headers: { [header]: bytes } });
      },
      check(answer) {
        assert.equal(answer.status, header === 'Content-Type' ? 415 : 403);
        assertNoMarkup(answer);
      },
    });
});

/** The page after accepting shows the names exactly as they were sent. */
async function assertNamesShown(
  site: Site,
  { headers }: Bytes,
  { field, encoded }: { readonly field: string; readonly encoded: string },
): Promise<void> {
  const Cookie = headers['set-cookie']?.map((cookie) => cookie.split(';', 1)[0]).join('; ');
  const page = await site.send('GET', String(headers.location), { headers: { Accept: 'text/html', Cookie } });
  assertNoMarkup(page);
  const sent = new URLSearchParams(`x=${encoded}`).get('x') ?? '';
  assert.doesNotMatch(sent, /\p{Cc}/u);
  const names = { first_name: 'Dana', last_name: 'Kim', [field]: sent };
  assert.deepEqual(
    [
      textIn(page.text, /<h1>Hello, <bdi>(.*?)<\/bdi>/s),
      textIn(page.text, /class="person"[^>]*><bdi>(.*?)<\/bdi>/s),
    ],
    [names.first_name, `${names.first_name} ${names.last_name}`],
  );
}

function textIn(html: string, pattern: RegExp): string {
  const [, found = 'nothing'] = pattern.exec(html) ?? [];
  assert.doesNotMatch(found, /</);
  return plainText(found);
}

testNoFailure();
