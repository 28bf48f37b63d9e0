import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Secret } from '@rollcall/core';
import { anOrganization, aUser } from '@rollcall/core/testing';
import { formFields } from '../page/client.js';
import { databaseKinds } from '../storage.js';
import { type HostileValue, isExhaustive, valuesForNextPlace } from './hostile-values.js';
import { type Bytes, noLimits, type SendOptions, type Site, startSite } from './site.js';

export const password = 'a good password';
/** A larger head of a request is refused before it is read. */
export const MAX_HEAD_LENGTH = 12_000;
export const form = 'application/x-www-form-urlencoded';
export const ownOrigin = { Origin: 'http://localhost:3000', 'Sec-Fetch-Site': 'same-origin' };

/** A form of a page, with fields whose values are percent-encoded already. */
export interface Sending {
  readonly page: string;
  readonly action?: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly headers?: SendOptions['headers'];
}

/**
 * A site over PostgreSQL, or sites over every database, with a member, an admin and an owner, to which the tests of a file
 * send the same requests.
 */
export interface HostilePages {
  sites(): readonly Site[];
  /** The answers of the sites, which are the same except for random values. */
  everywhere(act: (site: Site) => Promise<Bytes>): Promise<readonly Bytes[]>;
  /** Opens the page with the form and sends the form with these fields. */
  sendForm(site: Site, form: Sending): Promise<Bytes>;
  /** Adds a test: the pages still answer, and there was no unexpected failure. Stands at the end of the file. */
  testNoFailure(): void;
}

export function useHostilePages(): HostilePages {
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

  async function everywhere(act: (site: Site) => Promise<Bytes>): Promise<readonly Bytes[]> {
    const [first, ...others] = await Promise.all(sites.map(act));
    assert.ok(first !== undefined);
    for (const other of others) assert.deepEqual(comparable(other), comparable(first));
    return [first, ...others];
  }

  const signInPages = new Map<Site, Promise<Bytes>>();

  /** One visitor of each site opens the page once: its form can be sent many times. */
  function openForm(site: Site, page: string): Promise<Bytes> {
    const known = page === '/sign-in' ? signInPages.get(site) : undefined;
    const opened = known ?? site.send('GET', page, { headers: { Accept: 'text/html' } });
    if (page === '/sign-in') signInPages.set(site, opened);
    return opened;
  }

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
    everywhere,
    sendForm,
    testNoFailure() {
      test('afterwards the pages still answer, and there was no unexpected failure', async () => {
        const fields = { email: 'dana%40example.test', password: encodeURIComponent(password) };
        const answers = await everywhere((site) => sendForm(site, { page: '/sign-in', fields }));
        assert.deepEqual(
          answers.map(({ status }) => status),
          answers.map(() => 303),
        );
        assert.deepEqual(
          sites.map(({ reports }) => reports),
          sites.map(() => []),
        );
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
export function isUnreadable({ status }: Bytes, { encoded }: HostileValue): boolean {
  return (status === 413 && encoded.length > 10_000) || (status === 400 && !canDecode(encoded));
}

function canDecode(encoded: string): boolean {
  try {
    return decodeURIComponent(encoded) !== undefined;
  } catch {
    return false;
  }
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

/** Checks the hostile values. */
export async function withEach(name: string, check: (value: HostileValue) => Promise<void>): Promise<void> {
  for (const value of valuesForNextPlace()) {
    try {
      await check(value);
    } catch (error) {
      throw new Error(`${name}, ${value.name}: ${(error as Error).message}`, { cause: error });
    }
  }
}

/** The value as it is sent in a form. */
export const escaped = ({ encoded }: HostileValue): string => encoded.replaceAll('&', '%26');

/** The cookie of a new session. */
export async function session(site: Site, email = 'dana@example.test'): Promise<string> {
  const opened = await site.core.signIn({ email, password: new Secret(password), address: 'a test' });
  const value = opened.session.reveal();
  // With the port of the usual public URL, and without one.
  return `3000-session=${value}; session=${value}`;
}

/** Whether a header can have this value: without line breaks and controls, and not too long for the head. */
export function canBeHeader(bytes: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: characters that a header must not contain
  return bytes.length <= MAX_HEAD_LENGTH && !/[\0-\x08\n-\x1f\x7f]/.test(bytes);
}
