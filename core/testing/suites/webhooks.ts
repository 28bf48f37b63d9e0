import type { Webhook, WebhookSettings } from '../../webhooks/ports/webhooks.js';
import { anOrganization } from '../dataset.js';
import { atOnce, type ContractTest, expectEqual, expectPassedOn } from '../expect.js';
import { keptAnswerTests } from '../kept-answers.js';
import { noon } from '../noon.js';
import { recordingJournal } from '../recording-journal.js';
import { type MakeTest, type StartStorage, storageTests } from '../start-storage.js';
import { aWebhook, withWebhooks } from '../subscribe.js';
import { healthTests } from './webhooks/health.js';

/** The promises of `Webhooks`. */
export function webhooksSuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'Webhooks', (storage) =>
    storage.load({ organizations: [anOrganization(1), anOrganization(2)] }),
  );
  const testConfigured = storageTests(start, 'Webhooks', withWebhooks);
  const keeping = keptAnswerTests(test, 'configure', async ({ webhooks }) => ({
    act: (number, answer) =>
      webhooks.configure(
        1,
        () => ({ ...settings(), encryptedSecret: `secret ${number}` }),
        () => [answer],
      ),
    isDone: async (number) => (await webhooks.of(1))?.encryptedSecret === `secret ${number}`,
  }));
  return [...configureTests(test), ...keeping, ...healthTests(testConfigured)];
}

function configureTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('an organization has no webhook at first, and decide gets null', async ({ webhooks }) => {
      expectEqual(await webhooks.of(1), null);
      const seen: (Webhook | null)[] = [];
      const made = await webhooks.configure(1, (current) => {
        seen.push(current);
        return settings();
      });
      expectEqual(seen, [null]);
      expectEqual(made, { id: made?.id, organizationId: 1, ...settings() });
      expectEqual(await webhooks.of(1), made);
      expectEqual(await webhooks.of(2), null);
    }),

    test('a change keeps the id, and a disabled webhook without URL is returned unchanged', async (storage) => {
      const { webhooks } = storage;
      const first = await webhooks.configure(1, settings);
      const off: WebhookSettings = { ...settings(), url: null, enabled: false, events: [] };
      expectEqual(await webhooks.configure(1, () => off), { ...off, id: first?.id, organizationId: 1 });
      expectEqual(await webhooks.of(1), { ...off, id: first?.id, organizationId: 1 });
    }),

    test('a previous secret is kept with its end until it is removed', async ({ webhooks }) => {
      const until = new Date('2026-11-21T12:00:00.123Z');
      const previousSecret = { encrypted: 'the old one', until };
      const rotated = await webhooks.configure(1, () => ({ ...settings(), previousSecret }));
      expectEqual(rotated?.previousSecret, previousSecret);
      expectEqual(await webhooks.of(1), rotated);
      expectEqual(
        (await webhooks.configure(1, (current) => current ?? settings()))?.previousSecret,
        previousSecret,
      );
      expectEqual((await webhooks.configure(1, settings))?.previousSecret, null);
      expectEqual((await webhooks.of(1))?.previousSecret, null);
    }),

    test('of 20 changes at once, none is lost', async ({ webhooks }) => {
      await atOnce(20, () =>
        webhooks.configure(1, (current) => ({
          ...settings(),
          encryptedSecret: `${current?.encryptedSecret ?? ''}x`,
        })),
      );
      expectEqual((await webhooks.of(1))?.encryptedSecret, 'x'.repeat(20));
    }),

    test('an unknown organization gets no webhook', async ({ webhooks }) => {
      const { seen, journal } = recordingJournal();
      expectEqual(await webhooks.configure(99, settings, journal), null);
      expectEqual([seen, await webhooks.of(99)], [[], null]);
    }),

    test('if decide throws, nothing is stored and the error is passed on', async ({ webhooks }) => {
      const before = await webhooks.configure(1, settings);
      await expectPassedOn((fail) => webhooks.configure(1, fail));
      expectEqual(await webhooks.of(1), before);
    }),
  ];
}

function settings(): WebhookSettings {
  return { ...aWebhook(noon), url: 'https://partner.example/hooks?a=1&b=%20' };
}
