import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { Secret } from '@rollcall/core';
import { smtpMailer } from '#adapters/node/mail/mailer.js';
import { secondFactorText, signOnCodeText } from '#core/users/mails/mail-text.js';
import { textOf } from '../support/mail-server.js';
import { OWNER, PASSWORD } from './dataset.js';
import type { Context, Group } from './peer.js';
import type { Product } from './product.js';
import { deliver, setWebhook, startReceiver, webhookAt } from './receivers.js';

/** Every subject, in the order in which they are sent. */
const SUBJECTS = [
  'Garden Circle invites you',
  'The access key of Garden Circle was replaced',
  'The webhook of Garden Circle is failing',
  'The webhook of Garden Circle works again',
  'Reset your password for Rollcall',
  'Your password for Rollcall was changed',
  'A second factor for Rollcall was added',
  'A second factor for Rollcall was removed',
  'Your code for Rollcall',
];

const organization = '/organizations/1';

/** Does what makes the product send each of its mails. */
async function sendEach(context: Context, product: Product): Promise<void> {
  const arrived = async (count: number): Promise<void> => {
    for (let left = 200; left > 0 && product.mails.received.length < count; left -= 1) await pause(100);
    assert.equal(product.mails.received.length, count);
  };
  const owner = await product.browser(OWNER);
  const person = { email: 'ada@example.test', first_name: 'Ada', last_name: 'Lovelace', send_mail: '1' };
  await owner.fillIn(`${organization}/invitations/new`, person);
  await arrived(1);
  await owner.fillIn(`${organization}/access-key`, { keep_old_hours: '24' });
  await arrived(2);
  await setWebhook(product, { webhook: webhookAt('https://localhost:9/closed'), regenerate_secret: '1' });
  assert.equal((await deliver(product, 'Ada'))[0], 'failed');
  await arrived(3);
  const { url } = await startReceiver(context);
  await setWebhook(product, { webhook: webhookAt(url) });
  assert.equal((await deliver(product, 'Ada'))[0], 'delivered');
  await arrived(4);
  const visitor = await product.browser(null);
  await visitor.fillIn('/forgot-password', { email: OWNER });
  await arrived(5);
  const link = /https?:\S+/.exec(textOf(product.mails.received[4] ?? assert.fail()))?.[0] ?? '';
  await visitor.fillIn(new URL(link).pathname, { new_password: `${PASSWORD} again` });
  await arrived(6);
  // These need a provider or a device, so they are sent alone.
  const smtpUrl = new Secret(`smtp://127.0.0.1:${product.mails.port}`);
  const mailer = smtpMailer({ smtpUrl, from: 'rollcall@example.test', senderName: 'Rollcall' });
  const about = { serviceName: 'Rollcall', at: new Date(), timeZone: null };
  for (const text of [
    secondFactorText({ ...about, kind: 'second-factor-added' }),
    secondFactorText({ ...about, kind: 'second-factor-removed' }),
    signOnCodeText({ ...about, code: '123456', minutes: 10 }),
  ])
    await mailer.send({ to: OWNER, ...text });
}

async function trySpamAssassin(context: Context): Promise<void> {
  const product = await context.product();
  await sendEach(context, product);
  const subjects = product.mails.received.map(({ raw }) => /^Subject: (.*)\r$/m.exec(raw)?.[1]);
  assert.deepEqual(subjects, SUBJECTS);
  for (const { raw } of product.mails.received) {
    const file = context.file('mail', raw);
    const options = ['--local', '--test-mode', '--nocreate-prefs'];
    const checked = await context.exec('spamassassin', [...options, file], { HOME: context.cwd });
    const [, score = ''] = /^X-Spam-Status: No, score=(-?[\d.]+)/m.exec(checked) ?? assert.fail(checked);
    assert.ok(Number(score) <= MAX_SCORE, checked);
  }
}

/** Mails are spam from 5.0 on. */
const MAX_SCORE = 1;

export const mailGroup: Group = {
  title: 'Filters of mail',
  tried:
    'Each mail of the service, three of them sent alone (second factor, code for sign-on): at most 1.0 points with the local rules, where 5.0 are spam.',
  peers: [{ name: 'SpamAssassin', debian: ['spamassassin'], run: trySpamAssassin }],
};
