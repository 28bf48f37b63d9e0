import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testUuid } from '@rollcall/core/testing';
import {
  assertNoMarkup,
  canBeHeader,
  escaped,
  isUnreadable,
  password,
  useHostilePages,
  withEach,
} from '../support/security/hostile-pages.js';
import type { HostileValue } from '../support/security/hostile-values.js';
import type { Bytes, Site } from '../support/security/site.js';

const { sites, everywhere, sendForm, testNoFailure } = useHostilePages();

let invited = 0;
/** Invites a new person, the same one on every site. */
async function invitation(): Promise<(site: Site) => Promise<string>> {
  invited += 1;
  const email = `hostile-${invited}@example.test`;
  return async ({ core }) => {
    const person = { email, firstName: 'Dana', lastName: 'Kim' };
    const { invitationUrl } = await core.inviteUser({ organization: { id: 1 }, ...person });
    return new URL(invitationUrl).pathname;
  };
}

/** None of the hostile names is part of it, so it is never refused because of one. */
const WITHOUT_NAMES = 'vivid-lantern-42';

describe('Hostile values in every field of every form', () => {
  for (const field of ['email', 'password', 'next']) {
    test(`signing in with it as ${field} does not sign in, and gets a page`, () =>
      withEach(field, async (value) => {
        const fields = { email: 'dana%40example.test', password: 'wrong+one', [field]: escaped(value) };
        const answers = await everywhere((site) => sendForm(site, { page: '/sign-in', fields }));
        for (const answer of answers) {
          assert.ok(answer.status === 422 || isUnreadable(answer, value), `${answer.status} ${answer.text}`);
          assert.equal(answer.headers['set-cookie'], undefined);
          assertNoMarkup(answer);
        }
      }));
  }

  test('signing in with it as the next page does not redirect to another site', () =>
    withEach('next', async (value) => {
      const fields = { email: 'dana%40example.test', password: encodeURIComponent(password) };
      const answers = await everywhere((site) =>
        sendForm(site, { page: '/sign-in', fields: { ...fields, next: escaped(value) } }),
      );
      for (const answer of answers) {
        if (isUnreadable(answer, value)) continue;
        assert.deepEqual([answer.status, answer.headers.location], [303, '/meetings']);
      }
    }));

  for (const field of ['form_token', 'unknown_field']) {
    test(`sending it as ${field} is refused or ignored`, () =>
      withEach(field, async (value) => {
        const answers = await everywhere((site) =>
          sendForm(site, {
            page: '/sign-in',
            fields: { email: 'x', password: 'y', [field]: escaped(value) },
          }),
        );
        const expected = field === 'form_token' ? 403 : 422;
        for (const answer of answers) {
          assert.ok(answer.status === expected || isUnreadable(answer, value), `${answer.status}`);
          assertNoMarkup(answer);
        }
      }));
  }

  for (const field of ['first_name', 'last_name']) {
    test(`accepting with it as ${field} shows it as text again, or says next to the field what is allowed`, () =>
      withEach(field, async (value) => {
        const path = await invitation();
        const fields = { password: WITHOUT_NAMES, [field]: escaped(value) };
        const answers = await everywhere(async (site) => sendForm(site, { page: await path(site), fields }));
        for (const [index, answer] of answers.entries()) {
          if (answer.status === 303) await assertNamesShown(sites()[index], answer, { field, value });
          else if (answer.status === 422) {
            assert.match(
              answer.text,
              new RegExp(`id="${field}-hint">(First|Last) name (must (not|have) |is required<)`),
            );
          } else assert.ok(isUnreadable(answer, value), `${answer.status}`);
          assertNoMarkup(answer);
        }
      }));
  }

  test('after accepting with it as the password, exactly this password signs in, or the page says what is allowed', () =>
    withEach('password', async (value) => {
      const path = await invitation();
      const email = `hostile-${invited}@example.test`;
      const fields = { password: escaped(value) };
      const answers = await everywhere(async (site) => sendForm(site, { page: await path(site), fields }));
      for (const [index, answer] of answers.entries()) {
        assertNoMarkup(answer);
        if (answer.status !== 303) {
          assert.ok(answer.status === 422 || isUnreadable(answer, value), `${answer.status}`);
          continue;
        }
        const signIn = { page: '/sign-in', fields: { email, ...fields } };
        const site = sites()[index];
        assert.equal(site && (await sendForm(site, signIn)).status, 303);
        const other = { ...signIn, fields: { email, password: `${escaped(value)}x` } };
        assert.equal(site && (await sendForm(site, other)).status, 422);
      }
    }));

  test('redeeming with it in the form does not change the link', () =>
    withEach('redeem', async (value) => {
      const link = async (site: Site): Promise<string> => {
        const { url } = await site.core.issueLoginLink({ organization: { id: 1 }, uuid: testUuid(1) });
        return new URL(url).pathname;
      };
      const answers = await everywhere(async (site) =>
        sendForm(site, { page: await link(site), fields: { organization: escaped(value) } }),
      );
      for (const answer of answers) {
        if (isUnreadable(answer, value)) continue;
        assert.deepEqual([answer.status, answer.headers.location], [303, '/organizations/1/meetings']);
      }
    }));

  for (const header of ['Origin', 'Sec-Fetch-Site', 'Content-Type', 'Cookie']) {
    test(`a form with it as ${header} is refused`, () =>
      withEach(header, async ({ text }) => {
        const bytes = Buffer.from(text).toString('latin1');
        if (!canBeHeader(bytes)) return;
        const answers = await everywhere((site) =>
          sendForm(site, {
            page: '/sign-in',
            fields: { email: 'x', password: 'y' },
            headers: { [header]: bytes },
          }),
        );
        const expected = header === 'Content-Type' ? 415 : 403;
        for (const answer of answers) {
          assert.equal(answer.status, expected);
          assertNoMarkup(answer);
        }
      }));
  }
});

/** The page after accepting shows the names exactly as they were sent. */
async function assertNamesShown(
  site: Site | undefined,
  { headers }: Bytes,
  { field, value }: { readonly field: string; readonly value: HostileValue },
): Promise<void> {
  assert.ok(site !== undefined);
  const Cookie = headers['set-cookie']?.map((cookie) => cookie.split(';', 1)[0]).join('; ');
  const page = await site.send('GET', String(headers.location), { headers: { Accept: 'text/html', Cookie } });
  assertNoMarkup(page);
  const sent = new URLSearchParams(`x=${escaped(value)}`).get('x') ?? '';
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
  return found
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

testNoFailure();
