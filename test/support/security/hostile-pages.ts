import assert from 'node:assert/strict';
import type { OutgoingHttpHeaders } from 'node:http';
import { after, before, test } from 'node:test';
import { Secret } from '@rollcall/core';
import { anOrganization, aUser } from '@rollcall/core/testing';
import type { Bytes, Sent } from '../http/client.js';
import { canDecode } from '../http/contract.js';
import { formFields } from '../page/client.js';
import { databaseKinds } from '../storage.js';
import { type HostileValue, isExhaustive, valuesForNextPlace } from './hostile-values.js';
import { noLimits, type Site, startSite } from './site.js';

export const password = 'a good password';
const form = 'application/x-www-form-urlencoded';
const ownOrigin = { Origin: 'http://localhost:3000', 'Sec-Fetch-Site': 'same-origin' };

/** A form of a page, with fields whose values are percent-encoded already. */
export interface Sending {
  readonly page: string;
  readonly action?: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly headers?: Sent['headers'];
}

export interface Attack {
  /** Sends the value, or returns null if it cannot be sent. */
  act(site: Site, tried: Tried): Promise<Bytes> | null;
  /** Checks the answer of the site; those of all sites are the same except for random values. */
  check(answer: Bytes, tried: Tried, site: Site): void | Promise<void>;
}

export interface Tried {
  readonly value: HostileValue;
  /** The value as in a URL or a form. */
  readonly encoded: string;
  /** Another one for each value of each test. */
  readonly number: number;
}

/**
 * A site over PostgreSQL, or sites over every database, with a member, an admin and an owner, to which the tests of a file
 * send the same requests.
 */
export function useHostilePages() {
  const databases = isExhaustive ? databaseKinds : (['postgres'] as const);
  let sites: readonly Site[] = [];
  before(async () => {
    sites = await Promise.all(
      databases.map((database) => startSite({ database, ports: { limits: noLimits } })),
    );
    for (const { load, core } of sites) {
      await load({
        organizations: [anOrganization(1, { name: 'Northwind' })],
        users: [
          aUser(1, { email: 'dana@example.test' }),
          aUser(9000, { email: 'admin@example.test' }),
          aUser(9001, { email: 'owner@example.test' }),
        ],
        memberships: [
          { organizationId: 1, userId: 1, role: 'member', idpId: null },
          { organizationId: 1, userId: 9000, role: 'admin', idpId: null },
          { organizationId: 1, userId: 9001, role: 'owner', idpId: null },
        ],
      });
      for (const email of ['dana@example.test', 'admin@example.test', 'owner@example.test'])
        await core.setPassword({ email, password: new Secret(password) });
    }
  });
  after(() => Promise.all(sites.map((site) => site.stop())));

  const sessions = new Map<string, Promise<string>>();
  let lastNumber = 0;

  async function attackWith(value: HostileValue, { act, check }: Attack): Promise<void> {
    lastNumber += 1;
    const tried = { value, encoded: value.encoded, number: lastNumber };
    const answers = await Promise.all(sites.map((site) => act(site, tried)));
    assert.notEqual(answers.length, 0, 'no site was attacked');
    for (const [index, site] of sites.entries()) {
      const answer = answers[index] ?? null;
      if (answer === null) continue;
      assert.deepEqual(comparable(answer), comparable(answers[0] ?? answer));
      await check(answer, tried, site);
    }
  }

  const signInPages = new Map<Site, Promise<Bytes>>();

  /** One visitor of each site opens the page once: its form can be sent many times. */
  function openForm(site: Site, page: string): Promise<Bytes> {
    const known = page === '/sign-in' ? signInPages.get(site) : undefined;
    const opened = known ?? site.send('GET', page, { headers: { Accept: 'text/html' } });
    if (page === '/sign-in') signInPages.set(site, opened);
    return opened;
  }

  /** Opens the page with the form and sends the form with these fields. */
  async function sendForm(
    site: Site,
    { page, action = page, fields, headers = {} }: Sending,
  ): Promise<Bytes> {
    const opened = await openForm(site, page);
    const cookies = (opened.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';', 1)[0]);
    const own = Object.entries(formFields(opened.text)).map(([key, value]) => [
      key,
      encodeURIComponent(value),
    ]);
    const all = Object.entries({ ...Object.fromEntries(own), ...fields });
    return site.send('POST', action, {
      headers: {
        Accept: 'text/html',
        Cookie: cookies.join('; '),
        'Content-Type': form,
        ...ownOrigin,
        ...headers,
      },
      body: all.map(([key, value]) => `${key}=${value}`).join('&'),
    });
  }

  return {
    sites: () => sites,
    /** Adds a test that tries every hostile value. */
    testEach(name: string, attack: Attack): void {
      test(name, async () => {
        for (const value of valuesForNextPlace())
          await attackWith(value, attack).catch((error) => {
            throw new Error(`${value.name}: ${error.message}`, { cause: error });
          });
      });
    },
    /** The headers of a browser in which this person has signed in. */
    async headersOf(site: Site, email: string): Promise<OutgoingHttpHeaders> {
      const key = `${site.port} ${email}`;
      const session = sessions.get(key) ?? newSession(site, email);
      sessions.set(key, session);
      return { Accept: 'text/html', Cookie: await session, 'Content-Type': form, ...ownOrigin };
    },
    sendForm,
    /** Adds a test: the pages still answer, and there was no unexpected failure. Stands at the end of the file. */
    testNoFailure(): void {
      test('afterwards the pages still answer, and there was no unexpected failure', async () => {
        const fields = { email: 'dana%40example.test', password: encodeURIComponent(password) };
        for (const site of sites) {
          assert.equal((await sendForm(site, { page: '/sign-in', fields })).status, 303);
          assert.deepEqual(site.reports, []);
        }
      });
    },
  };
}

function comparable({ status, headers, text }: Bytes): readonly unknown[] {
  const constant = text
    .replaceAll(/name="form_(token|author)" value="[^"]*"/g, 'name="form_$1"')
    .replaceAll(/\?author=[\w.-]*/g, '')
    // The URL of the webhook: the databases, which take turns, have stored different ones.
    .replace(/<code>.*?<\/code>/s, '<code></code>')
    .replaceAll(/\/people\/\d+/g, '/people')
    // In memory, members have joined when their account was created; in databases, when they were loaded.
    .replaceAll(/<time [^>]*>[^<]*<\/time>/g, '<time></time>')
    .replace(/"\/organizations\/\d+\/meetings"/, '')
    .replace(/ \/organizations\/\d+\/meetings/, '');
  return [status, headers.location?.replace(/\d+/, ''), constant];
}

/** A body that is too large or broken is refused before any of its fields is read. */
export function isUnreadable({ status }: Bytes, { encoded }: Pick<HostileValue, 'encoded'>): boolean {
  return (status === 413 && encoded.length > 10_000) || (status === 400 && !canDecode(encoded));
}

/** No text that was sent is markup in the page. */
export function assertNoMarkup({ headers, text }: Bytes): void {
  assert.doesNotMatch(
    text,
    /<script(?! type="module" src="\/assets\/rollcall\.js)|<img src=x|<svg\/onload|&amp;lt;script/,
  );
  assert.equal(headers['set-cookie']?.some((cookie) => /^(?:3000-)?session=1/.test(cookie)) ?? false, false);
  assert.match(String(headers['content-type']), /^text\/html; charset=utf-8$/);
  assert.match(String(headers['content-security-policy']), /^default-src 'none';/);
}

/** The cookie of a new session. */
async function newSession({ core }: Site, email: string): Promise<string> {
  const { session } = await core.signIn({ email, password: new Secret(password), address: 'a test' });
  // With the port of the usual public URL, and without one.
  return `3000-session=${session.reveal()}; session=${session.reveal()}`;
}
