import { Refusal, type WebhookView } from '@rollcall/core';
import { availableEvents } from '@rollcall/core/rules';
import { type FormProblems, noProblems, otherProblems, problemsOf } from '../design/form.js';
import { noticeOf } from '../design/notice.js';
import { redirectToSecret } from '../one-time-secret.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { listDeliveries } from './list-deliveries.js';
import {
  eventField,
  isForPage,
  shownVersion,
  UNCHANGED_SINCE,
  versionIn,
  type WebhookInput,
  WebhookPage,
  type WebhookSettings,
} from './webhook-view.js';

const labels = { 'webhook.url': 'URL', 'webhook.events': 'Events' };

/** The webhook: its state, a test, the latest deliveries, and its settings. */
export const configureWebhook = memberPage({
  path: paths.webhooks(':id'),
  role: 'admin',
  section: 'webhooks',
  async get(visit) {
    const webhook = await visit.core.readWebhook({ organization: visit.organization });
    const { kept } = visit;
    const input = kept === null ? inputOf(webhook) : inputIn((name) => kept[name] ?? '');
    const version = kept?.[UNCHANGED_SINCE] ?? shownVersion(webhook);
    const settings = { webhook, input, version, isOutdated: false, problems: noProblems };
    await showWebhook(visit, settings);
  },
  keeps: ['url', 'enabled', UNCHANGED_SINCE, ...availableEvents.map(eventField)],
  async post(visit) {
    const { core, organization, by } = visit;
    const input = inputIn((name) => visit.field(name));
    const version = visit.field(UNCHANGED_SINCE);
    try {
      const { secret } = await core.configureWebhook({
        organization,
        how: 'set',
        webhook: { ...input, url: input.url || null },
        unchangedSince: versionIn(version),
        by,
      });
      visit.setNotice('webhook-saved');
      if (secret === null) visit.leadTo(paths.webhooks(organization.id));
      else redirectToSecret(visit, { path: paths.newSecret(organization.id), secret });
    } catch (error) {
      const isOutdated = error instanceof Refusal && error.code === 'webhook-outdated';
      const problems = isOutdated ? outdated : problemsOf(error, labels, ['invalid-webhook']);
      const webhook = await core.readWebhook({ organization });
      if (isOutdated && isSaved(webhook, input))
        return visit.leadTo(paths.webhooks(organization.id), 'webhook-saved');
      await showWebhook(visit, {
        ...{ webhook, input, isOutdated, problems },
        // Only a reader who was told of the change may overwrite it.
        version: isOutdated ? shownVersion(webhook) : version,
      });
    }
  },
});

const outdated: FormProblems = {
  general:
    'Someone changed the webhook or its secret after you opened this page. Nothing was saved. Compare your settings with the saved ones, then save again to replace them.',
  fields: {},
};

/** Whether the settings are already what the reader wants. */
function isSaved(webhook: WebhookView | null, input: WebhookInput): boolean {
  return webhook !== null && JSON.stringify(inputOf(webhook)) === JSON.stringify(input);
}

/** Without a webhook, everything but the URL is filled in. */
function inputOf(webhook: WebhookView | null): WebhookInput {
  if (webhook === null) return { url: '', enabled: true, events: availableEvents };
  const events = availableEvents.filter((event) => webhook.events.includes(event));
  return { url: webhook.url ?? '', enabled: webhook.enabled, events };
}

function inputIn(field: (name: string) => string): WebhookInput {
  return {
    url: field('url').trim(),
    enabled: field('enabled') === '1',
    events: availableEvents.filter((event) => field(eventField(event)) === '1'),
  };
}

async function showWebhook(visit: MemberVisit, settings: WebhookSettings): Promise<void> {
  const { core, organization } = visit;
  const [health, list, tests] = await Promise.all([
    core.readWebhookHealth({ organization }),
    listDeliveries(visit),
    core.listDeliveries({ organization, isTest: true, limit: 1 }),
  ]);
  const lastTest = tests.deliveries[0] ?? null;
  const notice = visit.consumeNoticeName();
  const isSearchRefused = Object.keys(list.problems).length > 0;
  visit.show({
    title: 'Webhooks',
    problems: isSearchRefused ? otherProblems : settings.problems,
    notice: notice !== null && isForPage(notice, settings) ? noticeOf(notice) : null,
    body: <WebhookPage {...{ visit, settings, health, lastTest, list, notice }} />,
  });
}
