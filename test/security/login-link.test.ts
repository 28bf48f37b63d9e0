import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '@rollcall/core';
import { anOrganization, aUser } from '@rollcall/core/testing';
import type { Reply } from '../support/http/reply.js';
import { signedIn } from '../support/http/service.js';
import type { Answer, PageClient } from '../support/page/client.js';
import { startSite } from '../support/security/site.js';
import { foundTraces } from '../support/security/traces.js';

const password = 'a good password';
const [owner, member] = [aUser(1), aUser(2)];
/** More than the number of pages. */
const MAX_PAGES = 200;

test('A login link is in exactly one answer: no other answer to anyone contains it', async (t) => {
  const site = await startSite();
  t.after(() => site.stop());
  await site.load({
    organizations: [anOrganization(1)],
    users: [owner, member],
    memberships: [
      { organizationId: 1, userId: 1, role: 'owner', idpId: 'idp-1' },
      { organizationId: 1, userId: 2, role: 'member', idpId: 'idp-2' },
    ],
  });
  await site.core.setPassword({ email: owner.email, password: new Secret(password) });

  const answers = new Map<string, Buffer>();
  const keep = (name: string, { status, headers, text }: Answer | Reply): void => {
    const head = headers instanceof Headers ? [...headers, ...headers.getSetCookie()] : headers;
    answers.set(`${answers.size} ${name}`, Buffer.from(`${status}\n${JSON.stringify(head)}\n\n${text}`));
  };

  const api = await signedIn(site, site.client, 1);
  const issued = await api.post(`/users/${member.uuid}/generate_otl_url`);
  assert.match(String(issued.headers['cache-control']), /no-store/);
  keep('the answer', issued);
  keep('another link', await api.post(`/users/${member.uuid}/one_time_login_link`));
  for (const path of ['/webhook', '/members/idp-2/upcoming_meetings', '/export_meetings?column=name'])
    keep(path, await api.get(path));

  const path = new URL(issued.json.otl_url).pathname;
  const phone = site.browser();
  const fields = await phone.fieldsOf(path);
  for (const method of ['GET', 'GET', 'HEAD']) keep(`${method} of it`, await phone.open(path, { method }));
  keep('redeeming it', await phone.send({ path, fields }));
  keep('redeeming it again', await phone.send({ path, fields }));
  keep('GET of it, used', await phone.open(path));
  await walk(phone, (address, answer) => keep(`the member at ${address}`, answer));

  const desk = site.browser();
  await desk.fillIn('/sign-in', { email: owner.email, password });
  await walk(desk, (address, answer) => keep(`the owner at ${address}`, answer));
  for (const open of ['/openapi.json', '/readyz', '/healthz', '/docs', '/docs/guide'])
    keep(open, await desk.open(open, { headers: { Accept: '*/*' } }));

  const token = path.slice('/login/'.length);
  const secrets = new Map([
    ['the link', token],
    ['its random part', token.split('.')[1] ?? assert.fail(token)],
  ]);
  const found = foundTraces(secrets, answers).map((line) => line.replace(/^.* in (?=\d+ )/, ''));
  assert.deepEqual([...new Set(found)], ['0 the answer']);
  assert.ok(answers.size > 20, `${answers.size} answers`);
  assert.deepEqual(foundTraces(secrets, new Map([['the log', Buffer.from(JSON.stringify(site.lines))]])), []);
});

/** Follows every link and redirection from the start page, each URL once. */
async function walk(client: PageClient, see: (address: string, answer: Answer) => void): Promise<void> {
  const known = new Set(['/']);
  for (const address of known) {
    assert.ok(known.size < MAX_PAGES, [...known].join('\n'));
    const answer = await client.open(address);
    see(address, answer);
    const links = [...answer.text.matchAll(/<a [^>]*href="([^"#]*)/g)].map(([, href = '']) => href);
    for (const link of answer.location === null ? links : [answer.location]) {
      const { host, pathname, search } = new URL(link.replaceAll('&amp;', '&'), `http://here${address}`);
      if (host === 'here') known.add(`${pathname}${search}`);
    }
  }
}
