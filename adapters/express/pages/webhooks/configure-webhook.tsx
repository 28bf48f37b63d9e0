import { Refusal, type WebhookView } from '@rollcall/core';
import { availableEvents } from '@rollcall/core/rules';
import { type FormProblems, INVALID_FORM_STATUS, noProblems, problemsOf } from '../design/form.js';
import { consumeNoticeName, noticeOf, setNotice } from '../design/notice.js';
import { fieldOf } from '../form-guard.js';
import { openForm } from '../kept-form.js';
import { redirectToSecret } from '../one-time-secret.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { actorOf, requireMember, showPageTo, type Visit } from '../visit.js';
import { listDeliveries } from './list-deliveries.js';
import { newSecretPath } from './rotate-secret.js';
import { webhookAccess, webhookPath } from './webhook-paths.js';
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
export function configureWebhook(deps: PageDeps): Page {
  const { core } = deps;
  return {
    path: '/organizations/:id/webhooks',
    get: requireMember(deps, webhookAccess, async (visit) => {
      const webhook = await core.readWebhook({ organization: visit.organization });
      const { token, kept } = openForm(deps, visit);
      const input = kept === null ? inputOf(webhook) : inputIn((name) => kept[name] ?? '');
      const version = kept?.[UNCHANGED_SINCE] ?? shownVersion(webhook);
      const settings = { webhook, input, version, isOutdated: false, problems: noProblems, token };
      await showWebhook(deps, visit, settings);
    }),
    keptForm: { fields: ['url', 'enabled', UNCHANGED_SINCE, ...availableEvents.map(eventField)] },
    post: requireMember(deps, webhookAccess, async (visit) => {
      const { organization, request, response } = visit;
      const input = inputIn((name) => fieldOf(request, name));
      const version = fieldOf(request, UNCHANGED_SINCE);
      try {
        const { secret } = await core.configureWebhook({
          organization,
          how: 'set',
          webhook: { ...input, url: input.url === '' ? null : input.url },
          unchangedSince: versionIn(version),
          by: actorOf(visit),
        });
        setNotice(deps, response, 'webhook-saved');
        if (secret === null) response.redirect(303, webhookPath(organization.id));
        else redirectToSecret(deps, visit, { path: newSecretPath(organization.id), secret });
      } catch (error) {
        const isOutdated = error instanceof Refusal && error.code === 'webhook-outdated';
        const problems = isOutdated ? outdated : problemsOf(error, labels, ['invalid-webhook']);
        const webhook = await core.readWebhook({ organization });
        if (isOutdated && isSaved(webhook, input)) {
          setNotice(deps, response, 'webhook-saved');
          return response.redirect(303, webhookPath(organization.id));
        }
        await showWebhook(deps, visit, {
          ...{ webhook, input, isOutdated, problems },
          // Only a reader who was told of the change may overwrite it.
          version: isOutdated ? shownVersion(webhook) : version,
          token: openForm(deps, visit).token,
        });
      }
    }),
  };
}

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

async function showWebhook(deps: PageDeps, visit: Visit, settings: WebhookSettings): Promise<void> {
  const { core, serviceName } = deps;
  const { organization, request, response } = visit;
  const [health, list, tests] = await Promise.all([
    core.readWebhookHealth({ organization }),
    listDeliveries(deps, visit),
    core.listDeliveries({ organization, isTest: true, limit: 1 }),
  ]);
  const lastTest = tests.deliveries[0] ?? null;
  const notice = consumeNoticeName(deps, request, response);
  const refused = settings.problems !== noProblems || Object.keys(list.problems).length > 0;
  showPageTo(visit, deps, {
    status: refused ? INVALID_FORM_STATUS : 200,
    title: refused ? 'Error: Webhooks' : 'Webhooks',
    notice: notice !== null && isForPage(notice, settings) ? noticeOf(notice) : null,
    body: (
      <WebhookPage
        {...{ visit, settings, health, lastTest, list, serviceName }}
        notice={notice}
        refusal={settings.webhook?.urlRefusal ?? null}
      />
    ),
  });
}
