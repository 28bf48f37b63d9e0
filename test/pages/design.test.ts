import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Answer, PageClient } from '#test/support/page/client.js';
import { guidePaths, referencePaths, sampleOf, startFullSite, users } from '#test/support/page/routes.js';
import type { PageSite } from '#test/support/page/site.js';

/** What can't be undone, by the path of its form. The other forms can be undone, or add something. */
const destructive: readonly string[] = [
  '/organizations/:id/access-key',
  '/organizations/:id/calendar/replace',
  '/organizations/:id/calendar/revoke',
  '/organizations/:id/directory/off',
  '/organizations/:id/directory/token',
  '/organizations/:id/directory/token/old',
  '/organizations/:id/invitations/:uuid/revoke',
  '/organizations/:id/invitations/selected/revoke',
  '/organizations/:id/people/:userId/remove',
  '/organizations/:id/setup-link',
  '/organizations/:id/setup-link/end',
  '/organizations/:id/sign-on/remove',
  '/organizations/:id/webhooks/secret',
  '/organizations/:id/webhooks/secret/finish',
];

const harmless: readonly string[] = [
  '/account',
  '/account/name',
  // These ask who it is first, and then as the others do.
  '/account/second-factor/app',
  '/account/second-factor/app/remove',
  '/account/second-factor/passkey',
  '/account/second-factor/passkeys/:passkey/name',
  '/account/second-factor/passkeys/:passkey/remove',
  '/account/second-factor/recovery-codes',
  '/account/sessions/:session/sign-out',
  '/account/sessions/sign-out-others',
  '/account/stay-signed-in',
  '/forgot-password',
  '/invitations/:token',
  '/login/:token',
  '/organizations/:id/settings',
  '/organizations/:id/calendar',
  '/organizations/:id/first-steps',
  '/organizations/:id/invitations/:uuid/renew',
  '/organizations/:id/invitations/many',
  '/organizations/:id/invitations/new',
  '/organizations/:id/invitations/selected/renew',
  '/organizations/:id/access-key/name',
  '/organizations/:id/name',
  '/organizations/:id/people/:userId',
  '/organizations/:id/people/:userId/idp-id',
  '/organizations/:id/people/:userId/login-link',
  '/organizations/:id/people/:userId/name',
  '/organizations/:id/people/:userId/sign-out',
  '/organizations/:id/people/:userId/unlink',
  '/organizations/:id/second-factor',
  '/organizations/:id/sign-on',
  '/organizations/:id/sign-on/off',
  '/organizations/:id/sign-on/on',
  '/organizations/:id/sign-on/required',
  '/organizations/:id/webhooks/deliveries/:deliveryId',
  '/organizations/:id/webhooks/dismiss',
  '/organizations/:id/webhooks/redeliver',
  '/organizations/:id/webhooks/settings',
  '/organizations/:id/webhooks/test',
  '/reset-password/:token',
  '/setup/:token',
  '/sign-in',
  '/sign-in/organizations/:id/backchannel_logout',
  '/sign-in/organizations/:id/confirm',
  '/sign-in/organizations/:id/confirm/mail',
  '/sign-in/second-factor',
  '/sign-out',
];

/** A site on which the owner also has a calendar feed, an invitation to revoke, and a rotation to finish. */
async function startSite(context: Parameters<typeof startFullSite>[0]): Promise<{
  readonly site: PageSite;
  readonly owner: PageClient;
}> {
  const site = await startFullSite(context);
  await site.core.createCalendarFeed({ organizationId: 1, userId: 100 });
  await site.core.configureWebhook({
    organization: { id: 1 },
    how: 'change',
    webhook: { enabled: true },
    regenerateSecret: true,
    overlapHours: '24',
  });
  return { site, owner: await site.signedIn(users.owner) };
}

interface OpenedPage {
  readonly path: string;
  readonly url: string;
  readonly answer: Answer;
}

/** Every page, as the owner and as a stranger, and errors. */
async function everyPage({
  site,
  owner,
}: Awaited<ReturnType<typeof startSite>>): Promise<readonly OpenedPage[]> {
  const pages: OpenedPage[] = [];
  for (const client of [owner, site.visitor()]) {
    for (const { path, methods } of site.routes) {
      if (!methods.includes('get') || path.startsWith('/assets')) continue;
      const url = await sampleOf(site, path);
      pages.push({ path, url, answer: await client.open(url) });
    }
    pages.push({ path: 'unknown', url: '/nothing', answer: await client.open('/nothing') });
    pages.push({
      path: 'expired form',
      url: '/account',
      answer: await client.send({ path: '/account', fields: {} }),
    });
  }
  const shown = pages.filter(({ answer }) => answer.headers.get('content-type')?.startsWith('text/html'));
  return shown.filter(({ answer }) => answer.location === null);
}

/** The opening tags with a class, without those that only programs see. */
function controls(html: string, name: string): readonly string[] {
  return [...html.matchAll(/<(?:a|button)\b[^>]*>/g)]
    .map(([tag]) => tag)
    .filter((tag) => new RegExp(`class="button(?: [a-z]+)* ${name}[ "]`).test(tag));
}

/** The pages of members and of readers, and a list without actions. */
const pagesForReading = [
  ...referencePaths,
  '/account/second-factor',
  '/account/sessions',
  '/docs/guide',
  ...guidePaths,
  '/forgot-password/sent',
  '/organizations/:id/activity',
  '/organizations/:id/all-meetings',
  '/organizations/:id/all-meetings/:meetingId',
  '/organizations/:id/all-meetings/weeks',
  '/organizations/:id/calls',
  '/organizations/:id/directory',
  '/organizations/:id/settings',
  '/organizations/:id/calendar',
  '/organizations/:id/meetings',
  '/organizations/:id/meetings/past',
  '/organizations/:id/webhooks',
];

/** The pages of links that people are sent, pages after a form, what a button or a script opens, and what needs a failure. */
const withoutLink = [
  '/account/second-factor/app/remove',
  '/account/second-factor/passkeys/:passkey/name',
  '/account/second-factor/passkeys/:passkey/remove',
  '/account/second-factor/recovery-codes/new',
  '/account/stay-signed-in',
  '/forgot-password/sent',
  '/invitations/:token',
  '/login/:token',
  '/organizations/:id/access-key/new',
  '/organizations/:id/calendar/new',
  '/organizations/:id/directory/token/new',
  '/organizations/:id/invitations/selected/revoke',
  '/organizations/:id/people/:userId/login-link/new',
  '/organizations/:id/setup-link/new',
  '/organizations/:id/sign-on/on',
  '/organizations/:id/sign-on/required',
  '/organizations/:id/webhooks/secret/new',
  '/reset-password/:token',
  '/setup/:token',
  '/sign-in/organizations/:id/callback',
  '/sign-in/organizations/:id/confirm',
  '/sign-in/second-factor',
];

describe('On every page', () => {
  test('at most one button is the primary one, and every button has one of four kinds', async (t) => {
    const pages = await everyPage(await startSite(t));
    assert.ok(pages.length > 30, `${pages.length} pages`);
    for (const { path, answer } of pages) {
      assert.ok(controls(answer.text, 'primary').length <= 1, path);
      const buttons = [...answer.text.matchAll(/<button\b[^>]*>/g)].map(([tag]) => tag);
      const kinds =
        /class="button (?:primary|secondary|quiet|destructive)(?: small)?"|class="visually-hidden"/;
      assert.deepEqual(
        buttons.filter((tag) => !kinds.test(tag)),
        [],
        path,
      );
    }
  });

  test('one button stands out as the next step, unless the page is only for reading', async (t) => {
    const pages = await everyPage(await startSite(t));
    const without = pages.filter(
      ({ answer: { text } }) => controls(text, 'primary').length + (text.includes('confirm">') ? 1 : 0) === 0,
    );
    const paths = without.map(({ path }) => path);
    assert.deepEqual(
      paths.filter((path) => !pagesForReading.includes(path)),
      [],
    );
  });

  test('the notice of the last form comes first, outside of cards', async (t) => {
    const { site, owner } = await startSite(t);
    const stranger = site.visitor();
    let count = 0;
    for (const client of [owner, stranger])
      for (const { path, methods } of site.routes) {
        if (!methods.includes('get') || path.startsWith('/assets')) continue;
        const url = await sampleOf(site, path);
        client.setCookie('notice', 'time-zone-set');
        const { text } = await client.open(url);
        if (!text.includes('Time zone saved.')) continue;
        assert.match(
          text,
          /<main [^>]*><p class="banner success" role="status"><svg.*?<\/svg>Time zone saved\./,
          url,
        );
        count += 1;
      }
    assert.ok(count > 12, `${count} pages`);
  });

  test('what is destructive leads to a page that asks, and is done on no other', async (t) => {
    const started = await startSite(t);
    const asked = new Set<string>();
    for (const { path, url, answer } of await everyPage(started)) {
      const isQuestion = answer.text.includes('narrow confirm">');
      for (const tag of controls(answer.text, 'destructive')) {
        const href = /href="([^"]*)"/.exec(tag)?.[1];
        if (href === undefined) {
          assert.ok(isQuestion, `${path} has ${tag}`);
          continue;
        }
        const { text } = await started.owner.open(href);
        assert.match(text, /narrow confirm">/, `${path} leads to ${href}`);
        assert.equal(controls(text, 'destructive').length, 1, href);
      }
      if (isQuestion && controls(answer.text, 'destructive').length > 0) asked.add(path);
      if (isQuestion) assert.match(answer.words, /\? .* Cancel/, url);
    }
    assert.deepEqual([...asked].sort(), [...destructive].sort());
  });

  test('a link or a form on another page leads to it', async (t) => {
    const pages = await everyPage(await startSite(t));
    const leads = pages.flatMap(({ path, answer }) =>
      [...answer.text.matchAll(/ (?:href|action)="([^"?#]+)/g)].map(([, to = '']) => ({ from: path, to })),
    );
    const lonely = pages.filter(({ path }) => {
      const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`);
      return path.startsWith('/') && !leads.some(({ from, to }) => from !== path && pattern.test(to));
    });
    assert.deepEqual([...new Set(lonely.map(({ path }) => path))].sort(), withoutLink);
  });

  test('each form is listed as destructive or not', async (t) => {
    const { routes } = await startFullSite(t);
    const forms = routes.filter(({ methods }) => methods.includes('post')).map(({ path }) => path);
    const asking = destructive.filter((path) => path !== '/organizations/:id/calendar/replace');
    assert.deepEqual(forms.sort(), [...asking, ...harmless].sort());
  });

  test('the frame shows the reader’s account and organization, also on errors and docs', async (t) => {
    const started = await startSite(t);
    for (const path of [
      '/docs',
      '/docs/users',
      '/docs/guide/people',
      '/nothing',
      '/organizations/1/nothing',
      '/organizations/2',
    ]) {
      const { text } = await started.owner.open(path);
      assert.match(text, /<span class="person"><bdi>First100 Last100</, path);
      const name = path.startsWith('/organizations/1') ? ['Northwind Wellness'] : [];
      const shown = [...text.matchAll(/<p class="organization-name"><bdi>([^<]*)</g)].map(
        ([, found]) => found,
      );
      assert.deepEqual(shown, name, path);
      assert.doesNotMatch((await started.site.visitor().open(path)).text, /class="menu account"/, path);
    }
    const expired = await started.owner.send({ path: '/organizations/1/invitations/new', fields: {} });
    assert.match(expired.words, /Northwind Wellness .* First100 Last100 .* This form has expired/);
  });

  test('icons are hidden from screen readers, beside words, and in their color', async (t) => {
    let count = 0;
    for (const { path, answer } of await everyPage(await startSite(t))) {
      const icons = [...answer.text.matchAll(/(<svg class="icon"[^>]*>).*?<\/svg>((?:<h2[^>]*>)?[^<]*)/gs)];
      count += icons.length;
      for (const [, tag = '', words = ''] of icons) {
        assert.match(
          tag,
          / fill="none" stroke="currentColor" stroke-width="1.5" .* aria-hidden="true">/,
          path,
        );
        assert.match(words, /[\p{L}]/u, `${path}: an icon is alone`);
      }
    }
    assert.ok(count > 100, `${count} icons`);
  });

  test('styles and scripts together are at most 30 kB, compressed', async (t) => {
    const started = await startSite(t);
    const sizes = new Map<string, number>();
    const sizeOf = async (href: string): Promise<number> => {
      const known = sizes.get(href);
      if (known !== undefined) return known;
      const answer = await fetch(`${started.site.url}${href}`, { headers: { 'Accept-Encoding': 'gzip' } });
      assert.equal(answer.headers.get('content-encoding'), 'gzip', href);
      const size = Number(answer.headers.get('content-length'));
      assert.ok(size > 0, href);
      sizes.set(href, size);
      return size;
    };
    for (const { path, answer } of await everyPage(started)) {
      const loaded = [...answer.text.matchAll(/<(?:link rel="stylesheet" href|script[^>]* src)="([^"]*)"/g)];
      const all = await Promise.all(loaded.map(([, href = '']) => sizeOf(href)));
      const total = all.reduce((sum, size) => sum + size, 0);
      assert.ok(all.length >= 3 && total <= 30_000, `${path} loads ${total} bytes`);
    }
  });
});

describe('The styles', () => {
  const pages = fileURLToPath(new URL('../../../adapters/express/pages/', import.meta.url));
  const files = readdirSync(pages, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.css') && !/tokens\.css$|pico\.css$/.test(name),
  );

  test('use no margin, padding or gap that the tokens do not name', () => {
    const spaces = /(?:(?:margin|padding)[a-z-]*|gap): [^;]*;/g;
    const found = files.flatMap((file) => readFileSync(join(pages, file), 'utf8').match(spaces) ?? []);
    assert.ok(found.length > 200, `${found.length} spaces`);
    assert.deepEqual(
      found.filter((space) => /[\d.](?:rem|px)/.test(space)),
      [],
    );
  });

  test('use no color, corner or size of type that the tokens do not name', () => {
    assert.ok(files.length >= 11);
    for (const file of files) {
      const text = readFileSync(join(pages, file), 'utf8');
      assert.deepEqual(text.match(/#[0-9a-f]{3,8}\b|\brgba?\(|\bhsl\(/g), null, file);
      assert.deepEqual(text.match(/(?:font-size|border-radius): [\d.]+rem/g), null, file);
    }
  });
});
