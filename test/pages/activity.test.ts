import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { NewAuditEntry } from '@rollcall/core';
import { aUser, testUuid } from '@rollcall/core/testing';
import { readableText } from '#test/support/page/client.js';
import { type PageSite, startOwnedSite } from '#test/support/page/site.js';
import { webhookAt } from '../support/webhook-at.js';

const page = '/organizations/1/activity';
const organization = { id: 1 };
const by = { who: { kind: 'user', userId: 100 }, from: '192.0.2.1' } as const;

function anEntry(fields: Partial<NewAuditEntry> = {}): NewAuditEntry {
  return {
    ...{ organizationId: 1, at: new Date('2026-11-20T12:00:00.000Z'), action: 'webhook-tested' },
    ...{ actor: { who: { kind: 'command-line' }, from: null }, subject: null },
    ...fields,
  };
}

async function startSite(t: TestContext) {
  const started = await startOwnedSite(t);
  await started.site.load({
    users: [aUser(7, { firstName: 'Jonas', lastName: 'Weber' })],
    memberships: [{ organizationId: 1, userId: 7, role: 'member', idpId: null }],
  });
  return started;
}

interface Row {
  readonly text: string;
  /** Where "What" leads. */
  readonly link: string | undefined;
}

function rowsOf(text: string): readonly Row[] {
  return [...text.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].slice(1).map(([, row = '']) => {
    const what = /<td[^>]*data-title="What".*?<\/td>/s.exec(row)?.[0] ?? row.split('<td')[2] ?? '';
    return {
      text: readableText(what.replace(/^[^>]*>/, '')),
      link: /href="([^"]*)"/.exec(what)?.[1],
    };
  });
}

test('each entry says in words what was done and what changed from what, and leads to its object', async (t) => {
  const { site, owner } = await startSite(t);
  const { core } = site;
  await core.configureWebhook({
    organization,
    how: 'set',
    webhook: webhookAt('https://a.test/?key=secret'),
    by,
  });
  await core.configureWebhook({ organization, how: 'set', webhook: webhookAt('https://b.test/'), by });
  const tested = await core.testWebhook({ organization: { id: 1, name: 'Northwind Wellness' }, by });
  await core.redeliver({ organization, deliveryId: tested.deliveryId, by });
  const { uuid } = await core.inviteUser({ organization, ...aPerson, by });
  await core.changeRole({ organization, userId: 7, role: 'admin', by });
  await core.setName({ person: { userId: 7 }, firstName: 'Jon', lastName: 'Weber', by });
  await core.setTimeZone({ organization, timeZone: 'Europe/Berlin', by });
  await core.renameOrganization({ organization, name: 'Northwind', by });
  await core.generateAccessKey({ organizationId: 1, by });
  for (const [action, subject] of [
    ['deliveries-redelivered', '3'],
    ['deliveries-redelivered', '1'],
    ['deliveries-dropped', '2'],
    ['meetings-exported', 'csv'],
  ] as const)
    await site.storage.auditTrail.record(anEntry({ action, subject }));
  const { text } = await owner.open(page);
  const at = '/organizations/1';
  const delivery = `${at}/webhooks/deliveries/${tested.deliveryId}`;
  const { email } = aUser(7);
  assert.deepEqual(
    rowsOf(text).map((row) => [row.text, row.link]),
    [
      ['Downloaded an export of meetings CSV', undefined],
      ['Dropped 2 held events', `${at}/webhooks#log`],
      ['Resent 1 undelivered event', `${at}/webhooks#log`],
      ['Resent 3 undelivered events', `${at}/webhooks#log`],
      ['Generated the access key', `${at}/settings#access-key`],
      ['Renamed the organization Northwind Wellness → Northwind', `${at}/name`],
      ['Changed the time zone of exports default → Europe/Berlin', `${at}/settings#time-zone`],
      [`Corrected a name Jon Weber ${email}: Jonas Weber → Jon Weber`, `${at}/people/7`],
      [`Changed a role Jon Weber ${email}: member → admin`, `${at}/people/7`],
      ['Invited someone dana@example.test', `${at}/invitations/${uuid}`],
      ['Resent a test', delivery],
      ['Sent a test to the webhook', delivery],
      ['Changed the webhook a.test → b.test', `${at}/webhooks/settings`],
      ['Changed the webhook a.test', `${at}/webhooks/settings`],
    ],
  );
  assert.doesNotMatch(text, /secret=|key=secret/);
  for (const link of rowsOf(text).flatMap(({ link }) => link ?? []))
    assert.equal((await owner.open(link.split('#')[0] ?? '')).status, 200, link);
});

const aPerson = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Fox' };

test('a resent delivery names its person, and no one who has left', async (t) => {
  const { site, owner } = await startSite(t);
  const objectId = '1';
  const entry = { action: 'delivery-redelivered', subject: testUuid(9), objectId } as const;
  await site.storage.auditTrail.record(anEntry({ ...entry, aboutUserId: 7 }));
  assert.deepEqual(rowsOf((await owner.open(page)).text), [
    { text: 'Resent a delivery Jonas Weber', link: '/organizations/1/webhooks/deliveries/1' },
  ]);
  await site.core.removeMember({ organization, userId: 7 });
  const { text } = await owner.open(page);
  assert.deepEqual(rowsOf(text).at(-1)?.text, 'Resent a delivery');
  assert.deepEqual(rowsOf(text)[0], { text: `Removed a member ${aUser(7).email}`, link: undefined });
});

async function addEntries({ storage }: PageSite): Promise<void> {
  const hours = (number: number) => new Date(Date.UTC(2026, 10, 18, number));
  const program = { who: { kind: 'access-key' }, from: '192.0.2.9' } as const;
  await storage.auditTrail.record(
    anEntry({ at: hours(0), subject: 'first', actor: by, action: 'user-invited' }),
  );
  await storage.auditTrail.record(
    anEntry({ at: hours(23), actor: program, action: 'role-changed', subject: 'Zoë' }),
  );
  await storage.auditTrail.record(
    anEntry({ at: hours(24), actor: by, action: 'role-changed', subject: 'Zoe' }),
  );
  await storage.auditTrail.record(anEntry({ at: hours(48), subject: 'last' }));
  await storage.auditTrail.record(anEntry({ organizationId: 2, actor: by, action: 'role-changed' }));
}

test('is narrowed by person, kind, time and words, each alone and all together', async (t) => {
  const { site, owner } = await startSite(t);
  await addEntries(site);
  const found = async (query: string) => {
    const { text, words, status } = await owner.open(`${page}?${query}`);
    assert.equal(status, 200);
    return [/(\d+|No) entr(?:y|ies)/.exec(words)?.[1], ...rowsOf(text).map((row) => row.text)];
  };
  const [first, second, third] = ['Invited someone first', 'Changed a role Zoë', 'Changed a role Zoe'];
  const last = 'Sent a test to the webhook';
  assert.deepEqual(await found(''), [undefined, last, third, second, first]);
  assert.deepEqual(await found('who=100'), ['2', third, first]);
  assert.deepEqual(await found('who=access-key'), ['1', second]);
  assert.deepEqual(await found('who=nobody&kind=nothing'), [undefined, last, third, second, first]);
  assert.deepEqual(await found('kind=people'), ['2', third, second]);
  assert.deepEqual(await found('from=2026-11-18&to=2026-11-18'), ['2', second, first]);
  assert.deepEqual(await found('from=2026-11-19'), ['2', last, third]);
  assert.deepEqual(await found('to=2026-11-18'), ['2', second, first]);
  assert.deepEqual(await found('search=ZOE'), ['2', third, second]);
  assert.deepEqual(await found('search=first100'), ['2', third, first]);
  assert.deepEqual(await found('search=changed+a+ROLE'), ['2', third, second]);
  assert.deepEqual(await found('search=access+key+zoe'), ['1', second]);
  assert.deepEqual(await found('search=192.0.2.9'), ['1', second]);
  assert.deepEqual(await found('search=renewed'), ['No']);
  assert.deepEqual(await found('search=deleted'), ['No'], 'nobody is');
  assert.deepEqual(await found('who=100&kind=people&from=2026-11-19&to=2026-11-19&search=zoe'), ['1', third]);
  assert.deepEqual(await found('who=100&kind=people&to=2026-11-18'), ['No']);
});

test('keeps what narrows it in its form, filters, pages and download', async (t) => {
  const { site, owner } = await startSite(t);
  for (let number = 0; number < 60; number += 1)
    await site.storage.auditTrail.record(anEntry({ actor: by, action: 'role-changed', subject: 'Zoe' }));
  const query = 'search=zoe&kind=people&who=100&from=2026-11-01&to=2026-11-30';
  const { text, fields } = await owner.open(`${page}?${query}`);
  const { search, from, to } = fields;
  assert.deepEqual([search, from, to], ['zoe', '2026-11-01', '2026-11-30']);
  assert.match(text, /<option value="people" selected>/);
  assert.match(text, /<option value="100" selected>First100 Last100</);
  const escaped = query.replaceAll('&', '&amp;');
  assert.ok(text.includes(`href="?${escaped}&amp;page=2"`));
  assert.ok(text.includes(`href="/organizations/1/activity.csv?${escaped}"`));
  assert.equal(rowsOf((await owner.open(`${page}?${query}&page=2`)).text).length, 10);
  assert.match(
    (await owner.open(`${page}?who=7`)).text,
    /<option value="7" selected>Someone who did nothing here</,
  );
  assert.match(text, /<a href="\/organizations\/1\/activity\?who=100"><bdi>First100 Last100/);
});

test('a day that is none, and a search that is too long, are refused at their fields', async (t) => {
  const { owner } = await startSite(t);
  for (const [query, problem] of [
    ['from=yesterday', 'From must be a date, such as 2026-11-20'],
    ['to=2026-02-30', 'To must be a date, such as 2026-11-20'],
    [`search=${'x'.repeat(301)}`, 'Search must have at most 300 characters'],
  ] as const) {
    const { words, status } = await owner.open(`${page}?${query}`);
    assert.equal(status, 422);
    assert.ok(words.includes(problem), query);
  }
});

test('is downloaded as CSV that no spreadsheet runs, named after the organization and the range', async (t) => {
  const { site, owner } = await startSite(t);
  await addEntries(site);
  const formula = anEntry({ action: 'user-invited', subject: '=cmd()', actor: by });
  await site.storage.auditTrail.record(formula);
  const download = async (query = '') => {
    const { text, headers } = await owner.open(`${page}.csv${query}`);
    const name = /filename="?([^";]*)/.exec(headers.get('content-disposition') ?? '')?.[1];
    return [name, text.replace(/^\ufeff/, '').split('\r\n')] as const;
  };
  const [name, lines] = await download('?from=2026-11-18&to=2026-11-20&kind=invitations');
  assert.equal(name, 'northwind-wellness-activity-from-2026-11-18-to-2026-11-20.csv');
  const who = '"First100 Last100","user-100@example.test","192.0.2.1"';
  assert.deepEqual(lines, [
    '"Time","Who","Email","IP address","What","Details","Person"',
    `2026-11-20T12:00:00.000Z,${who},"Invited someone","'=cmd()",`,
    `2026-11-18T00:00:00.000Z,${who},"Invited someone","first",`,
    '',
  ]);
  const [all, every] = await download();
  assert.equal(all, 'northwind-wellness-activity.csv');
  assert.equal(every.length, 1 + 6 + 1);
  assert.match(every[1] ?? '', /"First100 Last100",.*,"Downloaded the activity","2 rows",$/);
  assert.ok(
    every.includes(
      '2026-11-18T23:00:00.000Z,"API, with the access key",,"192.0.2.9","Changed a role","Zoë",',
    ),
  );
});

test('a long download has every entry once', async (t) => {
  const { site, owner } = await startSite(t);
  for (let number = 0; number < 2345; number += 1)
    await site.storage.auditTrail.record(anEntry({ action: 'user-invited', subject: `entry ${number}` }));
  const { text } = await owner.open(`${page}.csv`);
  const found = [...text.matchAll(/"entry (\d+)"/g)].map(([, number]) => Number(number));
  assert.deepEqual(
    found,
    Array.from({ length: 2345 }, (_, index) => 2344 - index),
  );
});
