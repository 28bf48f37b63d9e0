import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { OWNER, PASSWORD } from './dataset.js';
import type { Context, Group, Peer } from './peer.js';
import type { Product } from './product.js';

/** A browser for terminals. */
interface TextBrowser extends Omit<Peer, 'run'> {
  readonly command: (url: string) => string;
  /** The key for the next field or link. */
  readonly next: string;
  /** Whether fields are opened and closed with Enter. */
  readonly isOpened: boolean;
}

const WAIT_MS = 400;

/** The keys of a person in front of a terminal. */
async function openTerminal(context: Context, command: string) {
  const tmux = (...args: readonly string[]) =>
    context.exec('tmux', ['-S', join(context.cwd, 'tmux'), '-f', '/dev/null', ...args], {
      HOME: context.cwd,
    });
  await tmux('new-session', '-d', '-x', '100', '-y', '50', command);
  context.onEnd(() => tmux('kill-server').catch(() => undefined));
  return {
    async press(...keys: readonly (string | readonly string[])[]): Promise<void> {
      for (const key of keys) {
        await tmux('send-keys', ...[key].flat());
        await pause(WAIT_MS);
      }
    },
    async see(pattern: RegExp): Promise<void> {
      let screen = '';
      for (let left = 50; left > 0; left -= 1) {
        screen = await tmux('capture-pane', '-p');
        if (pattern.test(screen)) return;
        await pause(200);
      }
      assert.match(screen, pattern);
    },
  };
}

async function tryTextBrowser(browser: TextBrowser, context: Context): Promise<void> {
  const product = await context.product();
  await fillIn(browser, context, `${product.origin}/sign-in`, {
    ...{ expected: /Sign in\n/, values: [OWNER, PASSWORD], seen: /Garden Circle[\s\S]*First steps/ },
  });
  const { id, url } = await invite(product);
  await fillIn(browser, context, url, {
    ...{ expected: /Join Garden Circle/, values: [null, null, null, PASSWORD], seen: /Hello, Ada/ },
  });
  const answer = await product.call('invitations?email=ada@example.test');
  const { invitations } = (await answer.json()) as {
    readonly invitations: readonly { readonly id: string; readonly state: string }[];
  };
  assert.deepEqual(
    invitations.map((invitation) => [invitation.id, invitation.state]),
    [[id, 'accepted']],
  );
}

async function invite({ call }: Product) {
  const body = new URLSearchParams({ email: 'ada@example.test', first_name: 'Ada', last_name: 'Lovelace' });
  const answer = await call('invite_user', { method: 'POST', body });
  const { user } = (await answer.json()) as {
    readonly user: { readonly id: string; readonly invitation_url: string };
  };
  return { id: user.id, url: user.invitation_url };
}

/** Fills in the fields of a page in their order (null: as it is), and presses the button after them. */
async function fillIn(
  { command, next, isOpened }: TextBrowser,
  context: Context,
  url: string,
  form: { readonly expected: RegExp; readonly values: readonly (string | null)[]; readonly seen: RegExp },
): Promise<void> {
  const terminal = await openTerminal(context, command(url));
  await terminal.see(form.expected);
  // The link that skips to the content, and the link to the first page.
  await terminal.press(next, next);
  for (const value of form.values) {
    if (value !== null)
      await terminal.press(...(isOpened ? ['Enter', ['-l', value], 'Enter'] : [['-l', value]]));
    await terminal.press(next);
  }
  await terminal.press('Enter');
  await terminal.see(form.seen);
  await terminal.press('q', 'y');
}

const SCREEN_READER = `
import { readFileSync } from 'node:fs';
import { JSDOM } from 'jsdom';
const { window } = new JSDOM(readFileSync(process.argv[2], 'utf8'));
for (const name of ['document', 'Node', 'Element', 'HTMLElement', 'HTMLInputElement']) globalThis[name] = window[name];
globalThis.window = window;
const { Virtual } = await import('@guidepup/virtual-screen-reader');
const reader = new Virtual();
await reader.start({ container: window.document.body, window });
while (await reader.lastSpokenPhrase() !== 'end of document') await reader.next();
console.log(JSON.stringify(await reader.spokenPhraseLog()));
process.exit();
`;

const organization = '/organizations/1';
/** What is said on five pages, among other things and in this order. */
const SPOKEN: Readonly<Record<string, readonly string[]>> = {
  '/sign-in': [
    ...['document', 'link, Skip to content', 'banner', 'main', 'heading, Sign in, level 1', 'form'],
    ...['textbox, Email address, required', 'Password', 'button, Sign in'],
    ...['link, Forgot your password?', 'status', 'end of document'],
  ],
  [organization]: [
    ...[
      'banner',
      'navigation, Sections',
      'link, Home, current page',
      'main',
      'heading, Garden Circle, level 1',
    ],
    ...[
      'region, First steps',
      'heading, First steps, level 2',
      'button, Hide these steps',
      'region, Recent activity',
    ],
  ],
  [`${organization}/people`]: [
    ...['link, People, current page', 'heading, People, level 1', 'link, Members, current item', 'search'],
    ...['textbox, Search members', 'button, Search', 'link, Download as CSV', 'table, Members'],
    ...['columnheader, Email address', 'rowheader, Dana Kim', 'cell, dana@example.test'],
  ],
  [`${organization}/meetings`]: [
    ...['link, My meetings, current page', 'heading, Hello, Dana, level 1', 'link, Upcoming, current item'],
    ...['heading, Moved, level 3', 'link, Add to calendar Moved', 'heading, Zero length, level 3'],
  ],
  [`${organization}/export`]: [
    ...['heading, Export meetings, level 1', 'group, Columns', 'button, Select all, all'],
    ...['checkbox, Name, checked', 'checkbox, Special Focus, not checked', 'button, Download CSV'],
    ...['table, The first meetings of the export', 'columnheader, Name'],
  ],
};

async function tryScreenReader(context: Context): Promise<void> {
  const product = await context.product();
  const program = context.file('read.mjs', SCREEN_READER);
  for (const [path, expected] of Object.entries(SPOKEN)) {
    const client = await product.browser(path === '/sign-in' ? null : OWNER);
    const page = context.file('page.html', (await client.open(path)).text);
    const spoken = JSON.parse(await context.exec(context.node, [program, page])) as readonly string[];
    let at = 0;
    for (const phrase of expected) {
      at = spoken.indexOf(phrase, at) + 1;
      assert.ok(at > 0, `${path}: "${phrase}" is not said, or not there: ${spoken.join(' | ')}`);
    }
    const nameless = spoken.filter((phrase) =>
      /^(link|button|textbox|checkbox|combobox|image|table)$/.test(phrase),
    );
    assert.deepEqual(nameless, []);
  }
}

const textBrowsers: readonly TextBrowser[] = [
  {
    name: 'w3m',
    debian: ['w3m', 'tmux'],
    ...{ command: (url) => `w3m '${url}'`, next: 'Tab', isOpened: true },
  },
  {
    name: 'Lynx',
    debian: ['lynx', 'tmux'],
    needs: '`-accept_all_cookies`',
    ...{ command: (url) => `lynx -accept_all_cookies '${url}'`, next: 'Down', isOpened: false },
  },
];

export const browserGroup: Group = {
  title: 'Text browsers and screen readers',
  tried:
    'Text browsers: an owner signs in, and an invited person accepts, with the keys of a terminal. Screen reader: what is said on five pages.',
  peers: [
    ...textBrowsers.map(
      (browser): Peer => ({ ...browser, run: (context) => tryTextBrowser(browser, context) }),
    ),
    {
      name: 'Virtual screen reader of Guidepup',
      npm: ['@guidepup/virtual-screen-reader@0.33.0', 'jsdom@26.1.0'],
      needs:
        'the classes of the DOM as global names (with the option `window` alone, every `<input>` is a “textbox”)',
      run: tryScreenReader,
    },
  ],
};
