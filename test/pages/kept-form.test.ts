import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { recordingSender } from '@rollcall/core/testing';
import { eventName } from '#core/testing/subscribe.js';
import { type Answer, follow, formFields, type PageClient, plainText } from '#test/support/page/client.js';
import { credentials, type PageSite, password, startOwnedSite } from '#test/support/page/site.js';
import { answered } from '#test/support/page/webhook-site.js';
import { webhookAt } from '../support/webhook-at.js';

const HALF_HOUR_MS = 30 * 60_000;
const organization = '/organizations/1';
const invitePage = `${organization}/invitations/new`;
const manyPage = `${organization}/invitations/many`;

/** Users 100 and 101 own organizations 1 and 2, and 102 is a member. */
const start = (context: TestContext) =>
  startOwnedSite(
    context,
    { 100: ['owner', 1, 2], 101: ['owner', 1, 2], 102: ['member', 1] },
    { webhookSender: recordingSender(() => answered(500)) },
  );

interface TypedForm {
  readonly page: string;
  /** The address at which the page is opened. By default its path. */
  readonly opened?: string;
  /** The path to which it is sent. By default that of the page. */
  readonly action?: string;
  readonly typed: Readonly<Record<string, string>>;
  /** The status when it is sent again. */
  readonly accepted?: number;
}

const webhook = webhookAt('https://hooks.test/rollcall');

const person = { email: 'ada@example.test', first_name: 'Ada “نور”', last_name: '<b>&amp;' };

const forms: Readonly<Record<string, (site: PageSite) => Promise<TypedForm>>> = {
  'to invite someone': formAt(invitePage, {
    ...{ ...person, idp_id: 'a-1', role: 'admin', expires_in_days: '30' },
  }),
  'to invite many people': async () => ({
    page: manyPage,
    typed: { people: 'ada@example.test,Ada,Byron\r\nbob@example.test,Bob,' },
    accepted: 200,
  }),
  'to renew an invitation': async ({ invite, core }) => {
    await invite();
    const { items } = await core.listInvitations({ organization: { id: 1 } });
    const page = `${organization}/invitations/${items[0]?.userUuid}/renew`;
    return { page, typed: { first_name: 'Grace', last_name: 'H.', idp_id: 'grace' } };
  },
  'to invite someone at a wrong address': async () => ({
    page: invitePage,
    typed: { ...person, email: 'ada' },
    accepted: 422,
  }),
  'to set an ID': async () => {
    const page = `${organization}/people/102`;
    return { page, action: `${page}/idp-id`, typed: { idp_id: 'nurse-102' } };
  },
  'to correct a name': formAt(`${organization}/people/102/name`, { first_name: 'Grace', last_name: 'H.' }),
  'to correct your own name': formAt('/account/name', { first_name: 'Grace', last_name: 'H.' }),
  'to change a role': formAt(`${organization}/people/102`, { role: 'admin' }),
  'to set the time zone': formAt(`${organization}/settings`, { time_zone: 'Europe/Helsinki' }),
  'to rename the organization': formAt(`${organization}/name`, { name: '<b>Nord “شمال”' }),
  'to replace the access key': async ({ core }) => {
    await core.generateAccessKey({ organizationId: 1 });
    return { page: `${organization}/access-key`, typed: { keep_old_hours: '24' } };
  },
  'to regenerate the signing secret': async ({ core }) => {
    await core.configureWebhook({ organization: { id: 1 }, how: 'set', webhook });
    return { page: `${organization}/webhooks/secret`, typed: { overlap_hours: '8' } };
  },
  'to resend failed deliveries': async ({ core, deliver }) => {
    await core.configureWebhook({ organization: { id: 1 }, how: 'set', webhook });
    await core.registerUser({ organizationId: 1, email: 'x@example.test', firstName: 'X', lastName: 'Y' });
    await deliver();
    return {
      page: `${organization}/webhooks/redeliver`,
      opened: `${organization}/webhooks/redeliver?since=2026-11-01T00:00:00`,
      typed: { since: '2026-11-01T00:00:00.000Z' },
    };
  },
  'to configure the webhook': formAt(`${organization}/webhooks/settings`, {
    ...{ url: 'https://partner.test/hooks?key=1', enabled: '1' },
  }),
};

function formAt(page: string, typed: TypedForm['typed']): () => Promise<TypedForm> {
  return async () => ({ page, typed });
}

/** The fields of a page as a browser would send them. */
function fieldsOf({ text }: Answer): Record<string, string> {
  const fields = formFields(text.replaceAll(/<input(?=[^>]*type="checkbox")(?![^>]* checked)[^>]*>/g, ''));
  for (const [, name = '', options = ''] of text.matchAll(
    /<select[^>]* name="([^"]*)"[^>]*>(.*?)<\/select>/gs,
  ))
    fields[name] = plainText(/<option value="([^"]*)" selected/.exec(options)?.[1] ?? '');
  for (const [, name = '', value = ''] of text.matchAll(
    /<textarea[^>]* name="([^"]*)"[^>]*>([^<]*)<\/textarea>/g,
  ))
    fields[name] = plainText(value);
  return fields;
}

function valuesOf(answer: Answer, { typed }: TypedForm): Record<string, string | undefined> {
  const fields = fieldsOf(answer);
  return Object.fromEntries(Object.keys(typed).map((name) => [name, fields[name]?.replaceAll('\r\n', '\n')]));
}

const lines = (typed: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(typed).map(([name, value]) => [name, value.replaceAll('\r\n', '\n')]));

/** Sends the form with what was typed. */
async function send(client: PageClient, form: TypedForm, before = async () => {}): Promise<Answer> {
  const page = await client.open(form.opened ?? form.page);
  await before();
  return client.send({ path: actionOf(page, form), fields: { ...fieldsOf(page), ...form.typed } });
}

function actionOf({ text }: Answer, form: TypedForm): string {
  const many = /<form method="post"[^>]* action="([^"]*many[^"]*)"/.exec(text)?.[1];
  return plainText(form.action ?? many ?? form.page);
}

/** Signs in on the page that answers a form, and sends the form on, as a browser does (307). */
async function signInAgain(client: PageClient, signIn: Answer, as = credentials): Promise<Answer> {
  const action = plainText(/<form method="post"[^>]* action="([^"]*)"/.exec(signIn.text)?.[1] ?? '');
  const fields = { ...signIn.fields, ...as };
  const sent = await client.send({ path: action, fields });
  assert.equal(sent.status, 307);
  return client.send({ path: sent.location ?? '', fields });
}

const notSent = /Nothing was sent yet\. We kept what you typed: check it, then send it\./;

for (const [name, prepare] of Object.entries(forms)) {
  test(`The form ${name} comes back filled in after signing in again`, async (t) => {
    const { site, owner } = await start(t);
    const form = await prepare(site);
    const empty = valuesOf(await owner.open(form.page), form);
    const activity = async () => (await site.core.listActivity({ organization: { id: 1 } })).totalItems;
    const before = await activity();
    const signIn = await send(owner, form, async () => site.clock.advance(HALF_HOUR_MS));
    assert.equal(signIn.status, 403);
    assert.match(signIn.words, /Your session has ended\. .* We kept what you typed, except passwords\./);
    assert.equal(signIn.fields.email, credentials.email);
    for (const value of Object.values(form.typed).filter((typed) => typed.length > 3))
      assert.ok(!signIn.text.includes(value), 'only the service can read it');
    const again = await signInAgain(owner, signIn);
    assert.equal(again.status, 403);
    assert.deepEqual(valuesOf(again, form), lines(form.typed));
    assert.match(again.words, notSent);
    assert.equal(await activity(), before, 'nothing was changed');

    const { accepted = 303 } = form;
    assert.equal(
      (await owner.send({ path: actionOf(again, form), fields: fieldsOf(again) })).status,
      accepted,
    );
    const later = await owner.open(form.page);
    assert.doesNotMatch(later.words, notSent);
    if (!['to renew an invitation', 'to set an ID', 'to change a role'].includes(name) && accepted === 422)
      assert.deepEqual(valuesOf(later, form), empty);
  });
}

describe('A form that is kept', () => {
  const form = { page: invitePage, typed: { email: 'private@example.test', idp_id: 'secret-id' } };
  const end = (site: PageSite) => async () => site.clock.advance(HALF_HOUR_MS);

  test('comes back at once if the reader has signed in again in another tab, or lost the cookie', async (t) => {
    const { site, owner } = await start(t);
    const again = await send(owner, form, async () => {
      await owner.fillIn(organization, {}, '/sign-out');
      await owner.fillIn('/sign-in', credentials);
    });
    assert.equal(again.status, 403);
    assert.deepEqual(valuesOf(again, form), form.typed);
    assert.match(again.words, notSent);

    const fields = { ...fieldsOf(await owner.open(invitePage)), ...form.typed };
    const restarted = site.visitor();
    const signIn = await restarted.send({ path: invitePage, fields });
    assert.deepEqual(valuesOf(await signInAgain(restarted, signIn), form), form.typed);
  });

  test('waits through a wrong password and a sign-in form that has expired', async (t) => {
    const { site, owner } = await start(t);
    const signIn = await send(owner, form, end(site));
    const fields = { ...signIn.fields, ...credentials };
    const wrong = await owner.send({ path: '/sign-in', fields: { ...fields, password: 'wrong' } });
    assert.equal(wrong.status, 422);
    const expired = await owner.send({
      path: '/sign-in',
      fields: { ...wrong.fields, form_token: '' },
    });
    assert.match(expired.words, /This form has expired/);
    assert.deepEqual(valuesOf(await signInAgain(owner, expired), form), form.typed);
  });

  test('is given back to nobody else, on no other page, and for a day', async (t) => {
    const { site, owner } = await start(t);
    const signIn = await send(owner, form, end(site));
    const fields = signIn.fields;
    const colleague = site.visitor();
    const { form_token = '' } = await colleague.fieldsOf('/sign-in');
    const other = { email: 'user-101@example.test', password };
    const sent = await colleague.send({ path: '/sign-in', fields: { ...fields, form_token, ...other } });
    assert.deepEqual([sent.status, sent.location], [303, invitePage]);
    const mine = await signInAgain(owner, signIn);
    assert.equal(mine.status, 403);
    const elsewhere = [
      await colleague.send({ path: invitePage, fields }),
      await owner.send({ path: '/organizations/2/invitations/new', fields }),
      await owner.send({ path: `${organization}/name`, fields }),
    ];
    for (const { status, text } of elsewhere) {
      assert.equal(status, 403);
      assert.doesNotMatch(text, /private@|secret-id|was sent yet/);
    }
    site.clock.advance(24 * 60 * 60_000 + 1);
    await owner.fillIn('/sign-in', credentials);
    assert.doesNotMatch((await owner.send({ path: invitePage, fields })).text, /private@/);
  });

  test('is refused as before without a person who opened it here, less than a day ago', async (t) => {
    const { site, owner } = await start(t);
    const fields: Record<string, string> = { ...fieldsOf(await owner.open(invitePage)), email: 'x' };
    const colleague = await site.signedIn(101);
    const before = [...site.changes];
    for (const form_author of ['', 'x', String(fields.form_author).slice(0, -4)]) {
      const answer = await site.visitor().send({ path: invitePage, fields: { ...fields, form_author } });
      assert.match(answer.words, /^.*This form has expired Nothing was changed/, form_author);
    }
    assert.equal((await colleague.send({ path: invitePage, fields })).status, 403, 'of someone else');
    assert.deepEqual(site.changes, before);
    site.clock.advance(24 * 60 * 60_000);
    const late = await site.visitor().send({ path: invitePage, fields });
    assert.match(late.words, /This form has expired Nothing was changed/);
  });

  test('never contains a password or a field that is not of the form', async (t) => {
    const { site, owner } = await start(t);
    const secrets = { password: 'hunter2 hunter2', current_password: 'hunter2 hunter2', note: 'hunter2' };
    const typed = { email: 'x', ...secrets };
    const signIn = await send(owner, { page: invitePage, typed }, end(site));
    const { text } = await signInAgain(owner, signIn);
    assert.match(text, /value="x"/);
    assert.doesNotMatch(text, /hunter2/);
    const account = await send(owner, { page: '/account', typed: {} }, end(site));
    assert.equal(account.location, '/sign-in?next=%2Faccount');
  });

  test('may be a list of 900 kB, which nobody else can send', async (t) => {
    const { site, owner } = await start(t);
    const people = Array.from(
      { length: 450 },
      (_, index) => `p${index}@example.test,${'x'.repeat(1950)},Y`,
    ).join('\n');
    const list = { page: manyPage, typed: { people } };
    const again = await signInAgain(owner, await send(owner, list, end(site)));
    assert.deepEqual(valuesOf(again, list), list.typed);
    for (const path of [manyPage, '/sign-in'])
      for (const query of ['', '?author=', '?author=x', '?author=1&author=2'])
        assert.equal(
          (await site.visitor().send({ path: `${path}${query}`, fields: list.typed })).status,
          413,
          `${path}${query}`,
        );
  });
});

type Replaced = readonly [
  what: string,
  prepare: ((site: PageSite) => Promise<TypedForm>) | undefined,
  change: (core: PageSite['core']) => Promise<unknown>,
  read: (core: PageSite['core']) => Promise<unknown>,
];

describe('A form that comes back overwrites nothing that has changed since it was opened', () => {
  /** Sends the form after the session has ended and something has changed, and signs in again. */
  async function keep(site: PageSite, owner: PageClient, form: TypedForm, change: () => Promise<unknown>) {
    const signIn = await send(owner, form, async () => {
      site.clock.advance(HALF_HOUR_MS);
      await change();
    });
    const again = await signInAgain(owner, signIn);
    return owner.send({ path: form.page, fields: fieldsOf(again) });
  }

  test('of the name of the organization', async (t) => {
    const { site, owner } = await start(t);
    const form = { page: `${organization}/name`, typed: { name: 'Southwind' } };
    const change = { organization: { id: 1 }, name: 'Northwind' };
    const refused = await keep(site, owner, form, () => site.core.renameOrganization(change));
    assert.equal(refused.status, 422);
    const asked =
      'Someone changed the name to “Northwind” after you opened this page. Save again to make it “Southwind”.';
    assert.ok(refused.words.includes(asked));
    const name = async () => (await site.core.listOrganizations())[0]?.name;
    assert.equal(await name(), 'Northwind');
    assert.equal((await owner.send({ path: form.page, fields: fieldsOf(refused) })).status, 303);
    assert.equal(await name(), 'Southwind');
  });

  for (const [what, prepared, change, kept] of [
    [
      'the access key',
      forms['to replace the access key'],
      (core) => core.generateAccessKey({ organizationId: 1 }),
      (core) => core.readAccessKey({ organization: { id: 1 } }),
    ],
    [
      'the signing secret',
      forms['to regenerate the signing secret'],
      (core) =>
        core.configureWebhook({ organization: { id: 1 }, how: 'set', webhook, regenerateSecret: true }),
      (core) => core.readWebhook({ organization: { id: 1 } }),
    ],
    [
      'an invitation',
      forms['to renew an invitation'],
      async (core) => {
        const { items } = await core.listInvitations({ organization: { id: 1 } });
        await core.renewInvitation({ organization: { id: 1 }, invitationId: items[0]?.id ?? '' });
      },
      (core) => core.listInvitations({ organization: { id: 1 } }),
    ],
  ] satisfies readonly Replaced[])
    test(`of ${what} that was replaced meanwhile`, async (t) => {
      const { site, owner } = await start(t);
      const form = (await prepared?.(site)) ?? assert.fail();
      let replaced: unknown;
      const answer = await keep(site, owner, form, async () => {
        await change(site.core);
        replaced = await kept(site.core);
      });
      assert.match(
        (await (answer.status === 303 ? follow(owner, answer) : answer)).words,
        /Nothing was changed/,
      );
      assert.deepEqual(await kept(site.core), replaced);
    });

  test('of the webhook, also if there was none', async (t) => {
    const { site, owner } = await start(t);
    const form = {
      page: `${organization}/webhooks/settings`,
      typed: { url: 'https://mine.test/', enabled: '1', [`event.${eventName}`]: '1' },
    };
    for (const url of ['https://first.test/', 'https://second.test/']) {
      const saved = { ...webhook, url };
      const change = { organization: { id: 1 }, how: 'set', webhook: saved } as const;
      const refused = await keep(site, owner, form, () => site.core.configureWebhook(change));
      assert.equal(refused.status, 422);
      assert.ok(refused.words.includes(`Saved now URL ${url} Events`), url);
      assert.equal((await site.core.readWebhook({ organization: { id: 1 } }))?.url, url);
    }
  });
});

describe('A form that anyone may send', () => {
  test('is shown again with what was typed, except the password', async (t) => {
    const { site } = await start(t);
    const invitation = await site.invite({ email: 'new@example.test' });
    const typed = {
      email: 'user-100@example.test',
      first_name: 'Neu',
      last_name: 'Name',
      password: 'hunter2 hunter2',
    };
    for (const [page, field, value] of [
      ['/sign-in', 'email', 'user-100@example.test'],
      [invitation, 'first_name', 'Neu'],
    ] as const) {
      const client = site.visitor();
      const fields = { ...fieldsOf(await client.open(page)), ...typed };
      const restarted = site.visitor();
      const answer = await restarted.send({ path: page, fields });
      assert.equal(answer.status, 403, page);
      assert.match(answer.words, /This form has expired\. Nothing was changed\./);
      assert.equal(fieldsOf(answer)[field], value);
      assert.doesNotMatch(answer.text, /hunter2/);
      const again = await restarted.send({ path: page, fields: { ...fieldsOf(answer), password } });
      assert.equal(again.status, 303);
    }
  });
});

test('An address with a search or a choice is opened again after signing in', async (t) => {
  const { site } = await start(t);
  for (const page of [
    `${organization}/people?search=J%C3%B6rg+%C3%96.`,
    `${organization}/export?meetings=last_month&column%5B%5D=name&column%5B%5D=start_time`,
    `${organization}/webhooks?state=failed&page=2`,
  ]) {
    const client = site.visitor();
    const signIn = await client.open((await client.open(page)).location ?? '');
    const answer = await client.send({
      path: '/sign-in',
      fields: { ...signIn.fields, ...credentials },
    });
    assert.equal(answer.location, page);
  }
});
