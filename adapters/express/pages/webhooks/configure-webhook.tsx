import type { WebhookView } from '@rollcall/core';
import { availableEvents } from '@rollcall/core/rules';
import { INVALID_FORM_STATUS, noProblems, problemsOf } from '../design/form.js';
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
      const { token, kept } = await openForm(deps, visit);
      const input = kept === null ? inputOf(webhook) : inputIn((name) => kept[name] ?? '');
      await showWebhook(deps, visit, { webhook, input, problems: noProblems, token });
    }),
    keptForm: { fields: ['url', 'enabled', ...availableEvents.map(eventField)] },
    post: requireMember(deps, webhookAccess, async (visit) => {
      const { organization, request, response } = visit;
      const input = inputIn((name) => fieldOf(request, name));
      const webhook = { ...input, url: input.url === '' ? null : input.url };
      try {
        const by = actorOf(visit);
        const { secret } = await core.configureWebhook({
          organization,
          how: 'set',
          webhook,
          by,
        });
        setNotice(deps, response, 'webhook-saved');
        if (secret === null) response.redirect(303, webhookPath(organization.id));
        else redirectToSecret(deps, visit, { path: newSecretPath(organization.id), secret });
      } catch (error) {
        const problems = problemsOf(error, labels, ['invalid-webhook']);
        await showWebhook(deps, visit, {
          webhook: await core.readWebhook({ organization }),
          input,
          problems,
          token: (await openForm(deps, visit)).token,
        });
      }
    }),
  };
}

/** Without a webhook, everything but the URL is filled in. */
function inputOf(webhook: WebhookView | null): WebhookInput {
  if (webhook === null) return { url: '', enabled: true, events: availableEvents };
  return { url: webhook.url ?? '', enabled: webhook.enabled, events: webhook.events };
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
