import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { enter } from '#test/support/keyboard.js';
import { looks, sizes, useBrowser } from '#test/support/look.js';
import { sampleMeetings } from '#test/support/page/samples.js';
import { type PageSite, password, startPageSite } from '#test/support/page/site.js';

const open = useBrowser();

async function site(context: TestContext): Promise<PageSite> {
  const started = await startPageSite(context);
  await started.load(sampleMeetings);
  await started.addUser({ id: 300, organizations: [1, 2] });
  return started;
}

const links: Readonly<Record<string, (started: PageSite) => Promise<string>>> = {
  'a login link': (started) => started.linkFor(100),
  'an invitation': (started) =>
    started.invite({ email: 'new@example.test', firstName: 'New', lastName: 'One' }),
};

describe('In a browser', { concurrency: true }, () => {
  for (const [name, make] of Object.entries(links)) {
    test(`${name} still works after being open for 15 s, three GETs and a HEAD`, async (t) => {
      const started = await site(t);
      const path = await make(started);
      const before = [...started.changes];
      const { page } = await open(t, started, { name: 'desk', options: { viewport: sizes.desk } });
      await page.clock.install();
      await page.goto(path);
      await page.clock.runFor(15_000);
      for (const method of ['GET', 'GET', 'GET', 'HEAD'])
        assert.equal((await started.visitor().open(path, { method })).status, 200);
      assert.deepEqual(started.changes, before);
      const others = started.requests.filter((request) => !/^(?:GET|HEAD) /.test(request));
      assert.deepEqual(others, []);
      if (name === 'an invitation') await page.getByLabel('Password').fill('a good password');
      await page.getByRole('button', { name: /^(?:Sign in|Accept invitation)$/ }).click();
      await page.waitForURL((url) => url.pathname === '/organizations/1/meetings');
    });
  }
});

describe('A password in a browser', () => {
  test('can be read while it is typed, and is hidden when the form is sent', async (t) => {
    const { page } = await open(t, await site(t), { name: 'phone', options: { viewport: sizes.phone } });
    await page.goto('/sign-in');
    const field = page.getByLabel('Password');
    await field.fill('wrong');
    assert.equal(await field.getAttribute('type'), 'password');
    await page.getByRole('button', { name: 'Show' }).click();
    assert.deepEqual([await field.getAttribute('type'), await field.inputValue()], ['text', 'wrong']);
    await page.getByRole('button', { name: 'Hide' }).click();
    assert.equal(await field.getAttribute('type'), 'password');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.evaluate(
      `document.querySelector('main form').addEventListener('submit', (event) => event.preventDefault())`,
    );
    await page.getByLabel('Email address').fill('user-300@example.test');
    await page.keyboard.press('Enter');
    assert.equal(await field.getAttribute('type'), 'password');
  });
});

for (const look of looks) {
  describe(`In a browser (${look.name})`, () => {
    test('a login link opens the meetings with one click, and later says that it was used', async (t) => {
      const started = await site(t);
      const window = await open(t, started, look);
      const { page } = window;
      const path = await started.linkFor(100);
      await page.goto(path);
      await window.look('login-link');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Hello, Dana' }).waitFor();
      await window.look('meetings');
      await page.goto(path);
      await page.getByRole('heading', { name: 'This login link was already used' }).waitFor();
      await window.look('login-link-used');
    });

    test('a user signs in, chooses an organization and signs out with the keyboard only', async (t) => {
      const started = await site(t);
      const window = await open(t, started, look);
      const { page } = window;
      await page.goto('/');
      await window.look('sign-in');
      await page.getByLabel('Email address').focus();
      await page.keyboard.type('user-300@example.test');
      await page.keyboard.press('Tab');
      await page.keyboard.type('wrong');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      await window.look('sign-in-problem');
      await page.getByLabel('Password').focus();
      await page.keyboard.type(password);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Your organizations' }).waitFor();
      await window.look('organizations');
      await page.getByRole('link', { name: 'Northwind Wellness' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Hello, First300' }).waitFor();
      await enter(page, page.locator('.account summary'));
      await enter(page, page.getByRole('button', { name: 'Sign out' }));
      await page.getByText('You are signed out.').waitFor();
      await window.look('signed-out');
      await page.goto('/nothing/here');
      await window.look('not-found');
    });
  });
}
