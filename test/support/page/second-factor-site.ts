import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { TestContext } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import { softwareAuthenticator } from '../software-authenticator.js';
import { copiedText, formFields, type PageClient } from './client.js';
import { type PageSite, password, type StartPageSite, startSiteOf } from './site.js';

export const secondFactor = '/account/second-factor';
export const step = '/sign-in/second-factor';
/** The users of organization 1 by role. */
export const users = { owner: 100, admin: 101, member: 102 } as const;

/** The code that an app shows, by RFC 6238 (written again, so that it is not the service's own). */
export function codeAt(key: string, at: Date): string {
  const bits = [...key.replaceAll(' ', '')]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const bytes = Buffer.from((bits.match(/[01]{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.from(
    Math.floor(at.getTime() / 30_000)
      .toString(16)
      .padStart(16, '0'),
    'hex',
  );
  const mac = createHmac('sha1', bytes).update(counter).digest();
  const offset = (mac[19] ?? 0) % 16;
  return String((mac.readUInt32BE(offset) % 2 ** 31) % 1_000_000).padStart(6, '0');
}

/** A site with an owner, an admin and a member of organization 1, who have a password. */
export async function startSecondFactorSite(context: TestContext, options: StartPageSite = {}) {
  const people = { 100: ['owner', 1], 101: ['admin', 1], 102: ['member', 1] } as const;
  const site = await startSiteOf(context, people, options);
  const { hostname: rpId } = new URL(site.url);
  const device = () => softwareAuthenticator({ rpId, origin: site.url });
  return {
    ...site,
    device,
    async signIn(client: PageClient, user: keyof typeof users, path = '/sign-in') {
      return client.fillIn(path, { email: aUser(users[user]).email, password });
    },
    withPassword: (user: keyof typeof users) => site.signedIn(users[user]),
    withApp: (client: PageClient) => withApp(site, client),
  };
}

/** Sets an app up for someone who has signed in, and returns its key and the recovery codes. */
export async function withApp({ clock }: Pick<PageSite, 'clock'>, client: PageClient) {
  const path = `${secondFactor}/app`;
  assert.equal((await client.fillIn(path, { current_password: password })).location, path);
  await client.fillIn(path, {});
  const key = copiedText((await client.open(path)).text, 'code-secret') ?? '';
  const done = await client.fillIn(path, { second_factor: codeAt(key, clock.now()) });
  assert.equal(done.location, `${secondFactor}/recovery-codes/new`, done.text);
  const shown = await client.open(`${secondFactor}/recovery-codes/new`);
  return {
    key,
    recoveryCodes: (copiedText(shown.text, 'recovery-codes') ?? '').split('\n'),
    leadsTo: /href="([^"]*)"[^>]*>I have copied them</.exec(shown.text)?.[1],
  };
}

export type SecondFactorSite = Awaited<ReturnType<typeof startSecondFactorSite>>;

/** What a page asks the browser for. */
export function questionIn(html: string): { readonly challenge: string; readonly [name: string]: unknown } {
  const options = /data-options="([^"]*)"/.exec(html)?.[1] ?? assert.fail('the page asks for no passkey');
  return JSON.parse(options.replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
}

/** Sends the form of the page with the answer of a device. */
export async function answerWith(
  client: PageClient,
  path: string,
  answer: (challenge: string) => string,
  fields: Readonly<Record<string, string>> = {},
) {
  const { text } = await client.open(path);
  const passkey = answer(questionIn(text).challenge);
  return client.send({ path, fields: { ...formFields(text), ...fields, passkey } });
}
