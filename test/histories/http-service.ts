import { Refusal, type RefusalCode, Unavailable } from '@rollcall/core';
import { secretMask } from '@rollcall/core/adapters';
import type { FormTokens } from '@rollcall/node';
import type { Authorized, Service } from '../simulation/service.js';
import { formFields, plainText, readableText } from '../support/page/client.js';
import { type Exchanged, exchange, Lost, Unreachable } from './exchange.js';

/** What the clients of one plan know of an instance. */
export interface HttpClients {
  /** The origin of the instance. */
  readonly url: string;
  /** That of its API for the operator; null: it has none. */
  readonly operatorUrl: string | null;
  readonly operatorToken: string;
  /** The origin of the pages. */
  readonly publicUrl: string;
  readonly formTokens: FormTokens;
  /** The session of an owner of every organization. */
  readonly ownersSession: () => string;
  /** The number of an organization that the history names otherwise. */
  readonly idOf: (org: number) => number;
  /** The address that the requests come from. Limits count by address. */
  readonly from: string;
  readonly timeoutMs: number;
}

interface WithToken extends Authorized {
  readonly token: string;
}

/** An instance over HTTP, as programs and browsers use it. It rejects with `Lost` and `Unreachable`, too. */
export function httpService(clients: HttpClients): Service {
  const { url, operatorUrl, operatorToken, publicUrl, formTokens, ownersSession, idOf, from } = clients;
  const { port } = new URL(publicUrl);
  const cookieName = (name: string): string => (port === '' ? name : `${port}-${name}`);
  const deadline = performance.now() + clients.timeoutMs;
  const send = (
    method: string,
    address: string,
    headers: Readonly<Record<string, string>>,
    body: string | null = null,
  ): Promise<Exchanged> =>
    exchange(method, address, { headers, body, from, timeoutMs: deadline - performance.now() });

  async function callApi<Answer>(
    by: Authorized | null,
    [method, path]: readonly [method: string, path: string],
    json?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const sent = {
      Accept: 'application/json',
      ...(by === null ? {} : { Authorization: `Bearer ${(by as WithToken).token}` }),
      ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    };
    const place = by === null ? path : `/organizations/${by.id}${path}`;
    const answer = await send(
      method,
      `${url}/api/v2${place}`,
      sent,
      json === undefined ? null : JSON.stringify(json),
    );
    return apiAnswer<Answer>(answer);
  }

  /** Sends a form with the cookies of a browser that has opened its page before. */
  async function sendForm(
    path: string,
    fields: Readonly<Record<string, string>>,
    session: string | null,
  ): Promise<Exchanged> {
    const cookie = session ?? 'a visitor of the histories';
    const body = new URLSearchParams({ ...fields, form_token: formTokens.issue(cookie) }).toString();
    const name = cookieName(session === null ? 'visitor' : 'session');
    return pageAnswer(
      await send(
        'POST',
        `${url}${path}`,
        {
          Accept: 'text/html',
          Cookie: `${name}=${encodeURIComponent(cookie)}`,
          Origin: publicUrl,
          'Content-Type': 'application/x-www-form-urlencoded',
        },
        body,
      ),
    );
  }

  async function openPage(path: string, session: string, ...cookies: string[]): Promise<Exchanged> {
    const sent = [`${cookieName('session')}=${encodeURIComponent(session)}`, ...cookies];
    const headers = { Accept: 'text/html', Cookie: sent.join('; ') };
    return pageAnswer(await send('GET', `${url}${path}`, headers));
  }

  return {
    authorizesFirst: false,
    async authorize({ token, org }) {
      return { id: idOf(org), token } as WithToken;
    },
    async authenticate(accessKey) {
      const { token } = await callApi<{ readonly token: string }>(null, ['POST', '/authenticate'], {
        access_key: accessKey,
      });
      return token;
    },
    async invite(by, { email, firstName, lastName }) {
      const body = { email, first_name: firstName, last_name: lastName };
      const { user } = await callApi<{
        readonly user: { readonly id: string; readonly invitation_url: string };
      }>(by, ['POST', '/invite_user'], body);
      return { uuid: user.id, token: pathOf(user.invitation_url) };
    },
    register: () => Promise.reject(new Error('People are invited here')),
    async accept({ token, person, password }) {
      const named = person === null ? {} : { first_name: person.firstName, last_name: person.lastName };
      return sessionIn(await sendForm(token, { ...named, password }, null));
    },
    async revoke(by, uuid) {
      await callApi(by, ['POST', `/invitations/${uuid}/revoke`]);
    },
    async renew(by, uuid) {
      const { invitation } = await callApi<{ readonly invitation: { readonly invitation_url: string } }>(by, [
        'POST',
        `/invitations/${uuid}/renew`,
      ]);
      return pathOf(invitation.invitation_url);
    },
    async remove(by, uuid) {
      await callApi(by, ['DELETE', `/users/${uuid}`]);
    },
    async issueLink(by, uuid) {
      const path = `/users/${uuid}/generate_otl_url`;
      return pathOf((await callApi<{ readonly otl_url: string }>(by, ['POST', path])).otl_url);
    },
    redeem: async (token) => sessionIn(await sendForm(token, {}, null)),
    async visit({ session, org }) {
      await openPage(`/organizations/${idOf(org)}/meetings`, session);
    },
    signIn: async (given) => sessionIn(await sendForm('/sign-in', given, null)),
    async signOut(session) {
      await sendForm('/sign-out', {}, session);
    },
    async changePassword({ session, from: current, to }) {
      const fields = { current_password: current, new_password: to };
      return sessionIn(await sendForm('/account', fields, session));
    },
    async erase(email) {
      if (operatorUrl === null) throw new Unreachable('There is no API for the operator');
      const answer = await send(
        'POST',
        `${operatorUrl}/operator/v1/users/erase`,
        {
          Accept: 'application/json',
          Authorization: `Bearer ${operatorToken}`,
          'Content-Type': 'application/json',
        },
        JSON.stringify({ email, force: true }),
      );
      apiAnswer(answer);
    },
    async replaceKey({ org, keepsOld }) {
      const path = `/organizations/${idOf(org)}/access-key`;
      const form = await unsent(openPage(path, ownersSession()));
      const { generation = '' } = formFields(form.text);
      const fields = { generation, keep_old_hours: keepsOld ? '24' : '0' };
      const session = ownersSession();
      const { headers } = await sendForm(path, fields, session);
      const { text } = await afterwards(openPage(`${path}/new`, session, shownOnceIn(headers)));
      const key = /\b\d{24}\b/.exec(text)?.[0];
      if (key === undefined) throw new Error(`There is no key on the page: ${text}`);
      return key;
    },
    async configure(by, { url: receiver, enabled }) {
      const webhook = { url: receiver, enabled, events: ['user.registered'] };
      return secretIn(await callApi(by, ['POST', '/webhook'], { webhook }));
    },
    async rotate(by, { overlap, idempotencyKey }) {
      const body = {
        webhook: { enabled: true },
        regenerate_secret: '1',
        ...(overlap ? { overlap_hours: 24 } : {}),
      };
      return secretIn(await callApi(by, ['PATCH', '/webhook'], body, repeatable(idempotencyKey)));
    },
    async finishRotation(by) {
      await callApi(by, ['POST', '/webhook/finish_rotation']);
    },
    async readWebhook(by) {
      const { webhook } = await callApi<{
        readonly webhook: { readonly url: string; readonly enabled: boolean } | null;
      }>(by, ['GET', '/webhook']);
      return { url: webhook?.url || null, enabled: webhook?.enabled ?? false };
    },
    async read(by, { after, order, limit }) {
      const query = new URLSearchParams({
        order,
        limit: String(limit),
        ...(after === undefined ? {} : { after }),
      });
      const page = await callApi<{
        readonly events: readonly unknown[];
        readonly next: string;
        readonly has_more: boolean;
      }>(by, ['GET', `/events?${query}`]);
      const bodies = page.events.map((event) => JSON.stringify(event));
      return { bodies, hasMore: page.has_more, next: page.next };
    },
    async redeliver(by, { eventId, idempotencyKey }) {
      const { deliveries } = await unsent(
        callApi<{ readonly deliveries: readonly { readonly id: number }[] }>(by, [
          'GET',
          `/webhook/deliveries?event_id=${eventId}`,
        ]),
      );
      const path = `/webhook/deliveries/${deliveries[0]?.id ?? 0}/redeliver`;
      await callApi(by, ['POST', path], undefined, repeatable(idempotencyKey));
    },
    async redeliverFailed(by) {
      const since = '2000-01-01T00:00:00Z';
      const answer = await callApi<{ readonly count: number }>(by, ['POST', '/webhook/redeliver_failed'], {
        since,
      });
      return answer.count;
    },
    async test(by) {
      const { delivery } = await callApi<{
        readonly delivery: { readonly event_id: string; readonly state: string };
      }>(by, ['POST', '/webhook/test']);
      return { eventId: delivery.event_id, state: delivery.state };
    },
  };
}

/** Of a request that only prepares another one: if it fails, the other one was not sent. */
async function unsent<Value>(before: Promise<Value>): Promise<Value> {
  try {
    return await before;
  } catch (error) {
    if (error instanceof Lost || error instanceof Unavailable) throw new Unreachable(error.message);
    throw error;
  }
}

/** Of a request that reads the result of another one: even if it is refused, the other one was done. */
async function afterwards<Value>(after: Promise<Value>): Promise<Value> {
  try {
    return await after;
  } catch (error) {
    throw new Lost(String(error));
  }
}

/** The cookie with a secret that the next page shows. */
function shownOnceIn(headers: Exchanged['headers']): string {
  const cookie = headers['set-cookie']?.find((set) => /^(?:\d+-)?shown-once=/.test(set)) ?? '';
  return cookie.split(';', 1)[0] ?? '';
}

function repeatable(key: string | null): Readonly<Record<string, string>> {
  return key === null ? {} : { 'Idempotency-Key': key };
}

function apiAnswer<Answer>({ status, headers, text }: Exchanged): Answer {
  if (status >= 200 && status < 300) return JSON.parse(text) as Answer;
  if (status === 503) throw new Unavailable(text);
  const code = headers['x-error-code'];
  if (status >= 500 || typeof code !== 'string') throw new Error(`${status} ${text}`);
  throw new Refusal(code as RefusalCode, `${status} ${text}`);
}

/** The refusals of pages, by their headings and the problems of their forms. Pages have no codes for programs. */
const refusals: Readonly<Record<string, RefusalCode>> = {
  'This invitation does not exist': 'invitation-unknown',
  'This invitation was already accepted': 'invitation-used',
  'This invitation was revoked': 'invitation-revoked',
  'You are already a member': 'already-member',
  'You have joined, but are not signed in': 'session-not-started',
  'There is an account with this address: sign in with its password to accept': 'sign-in-required',
  'The email address or password is wrong': 'wrong-credentials',
  'The password is wrong': 'wrong-credentials',
  'Current password is wrong': 'wrong-credentials',
  'This login link does not exist': 'login-link-unknown',
  'This login link was already used': 'login-link-used',
  'This login link has expired': 'login-link-expired',
  'Please sign in with your password': 'session-bound',
  'The access key was already replaced': 'access-key-outdated',
  'Too many attempts': 'too-many-requests',
  'Page not found': 'organization-not-found',
};

function pageAnswer(answer: Exchanged): Exchanged {
  const { status, headers, text } = answer;
  if (status === 303 && /^\/sign-in\?next=/.test(headers.location ?? ''))
    throw new Refusal('sign-in-required', 'The session has ended');
  if (status < 400) return answer;
  if (status === 503) throw new Unavailable('We can’t answer right now');
  const shown = plainText(text);
  const [, code] = Object.entries(refusals).find(([said]) => shown.includes(`>${said}<`)) ?? [];
  const what = `${status} ${/<title>([^<]*)/.exec(shown)?.[1]}`;
  if (code === undefined) throw new Error(`${what}: ${readableText(shown).slice(0, 300)}`);
  throw new Refusal(code, what);
}

function sessionIn({ headers, text }: Exchanged): string {
  for (const cookie of headers['set-cookie'] ?? []) {
    const value = /^(?:\d+-)?session=([^;]+)/.exec(cookie)?.[1];
    if (value !== undefined) return decodeURIComponent(value);
  }
  throw new Error(`There is no session in the answer: ${text.slice(0, 300)}`);
}

/** A secret is shown once, and masked otherwise. */
function secretIn({ webhook }: { readonly webhook: { readonly secret: string } }): string | null {
  return webhook.secret === secretMask ? null : webhook.secret;
}

function pathOf(url: string): string {
  return new URL(url).pathname;
}
