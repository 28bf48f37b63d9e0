import { maxListedDeliveries } from '@rollcall/core';
import type { Request } from 'express';
import type { Dashboard } from '../dashboard.js';
import { Field, NOT_ACCEPTED } from '../design/form.js';
import { leaveNotice } from '../design/notice.js';
import { Confirm } from '../design/parts.js';
import { localText, Moment, parseTimestamp } from '../design/times.js';
import { fieldOf } from '../form-guard.js';
import type { Page } from '../page.js';
import { PageError } from '../page-error.js';
import { byVisitor, inOrganization, showTo, type Visit } from '../visit.js';
import { NOT_A_MOMENT } from './delivery-query.js';
import { webhookDoor, webhookPath } from './webhook-paths.js';

/** Asks since when, then shows how many events that are, and sends them again on yes. */
export function redeliverFailed(dashboard: Dashboard): Page {
  const { core } = dashboard;
  return {
    path: '/organizations/:id/webhooks/redeliver',
    get: inOrganization(dashboard, webhookDoor, async (visit) => {
      const { request, zone } = visit;
      const { since: text } = request.query;
      if (text === undefined) {
        const since = await firstFailure(dashboard, visit);
        return showTimestamp(dashboard, visit, { text: since === null ? '' : localText(since, zone) });
      }
      const since = parseTimestamp(String(text), zone);
      if (since === null)
        return showTimestamp(dashboard, visit, { text: String(text), problem: `Since ${NOT_A_MOMENT}` });
      await showQuestion(dashboard, visit, since);
    }),
    post: inOrganization(dashboard, webhookDoor, async (visit) => {
      const { organization, request, response } = visit;
      await core.redeliverFailed({ organization, since: sinceIn(request), by: byVisitor(visit) });
      leaveNotice(dashboard, response, 'deliveries-redelivered');
      response.redirect(303, webhookPath(organization.id));
    }),
  };
}

/** As the question wrote it. */
function sinceIn(request: Request): Date {
  const since = new Date(fieldOf(request, 'since'));
  if (Number.isNaN(since.getTime())) throw new PageError('malformed-form');
  return since;
}

interface Asked {
  readonly text: string;
  readonly problem?: string;
}

function showTimestamp(dashboard: Dashboard, visit: Visit, { text, problem }: Asked): void {
  const path = webhookPath(visit.organization.id);
  const title = 'Send again what failed';
  showTo(visit, dashboard, {
    status: problem === undefined ? 200 : NOT_ACCEPTED,
    title: problem === undefined ? title : `Error: ${title}`,
    body: (
      <section class="card narrow">
        <h1>{title}</h1>
        <form method="get" action={`${path}/redeliver`} noValidate>
          <Field
            name="since"
            label="Since"
            type="datetime-local"
            autocomplete="off"
            value={text}
            help={`The time of the event, in the zone ${visit.zone.replaceAll('_', ' ')}.`}
            problem={problem}
          />
          <div class="actions">
            <button type="submit">See how many</button>
            <a href={path}>Cancel</a>
          </div>
        </form>
      </section>
    ),
  });
}

async function showQuestion(dashboard: Dashboard, visit: Visit, since: Date): Promise<void> {
  const { organization, zone, signedIn } = visit;
  const path = webhookPath(organization.id);
  const [count, webhook] = await Promise.all([
    countFailed(dashboard, visit, since),
    dashboard.core.readWebhook({ organization }),
  ]);
  if (count === 0) return showNothing(dashboard, visit, since);
  const many = count > LONGEST ? `more than ${LONGEST}` : String(count);
  const question = `Send ${many} ${count === 1 ? 'event' : 'events'} again?`;
  showTo(visit, dashboard, {
    title: question,
    body: (
      <Confirm
        question={question}
        action={`${path}/redeliver`}
        token={signedIn.formToken}
        fields={{ since: since.toISOString() }}
        yes="Send again"
        back={path}
      >
        <p>
          {count === 1 ? 'It has' : 'They have'} failed since <Moment moment={since} zone={zone} /> ({zone}),
          tests not counted. Each is sent once more, with the same body and event id, to the current URL.
        </p>
        {webhook?.enabled !== true && (
          <p>
            <strong>The webhook is switched off:</strong> switch it on first, or all of them are skipped.
          </p>
        )}
      </Confirm>
    ),
  });
}

function showNothing(dashboard: Dashboard, visit: Visit, since: Date): void {
  const path = webhookPath(visit.organization.id);
  showTo(visit, dashboard, {
    title: 'Nothing to send again',
    body: (
      <section class="card narrow">
        <h1>Nothing to send again</h1>
        <p>
          No event since <Moment moment={since} zone={visit.zone} /> ({visit.zone}) has failed.
        </p>
        <div class="actions">
          <a href={`${path}/redeliver`}>Choose another time</a>
          <a href={path}>Back to the webhook</a>
        </div>
      </section>
    ),
  });
}

/** Since when deliveries fail, else the oldest of the latest failures. */
async function firstFailure({ core }: Dashboard, { organization }: Visit): Promise<Date | null> {
  const { failingSince } = await core.readWebhookHealth({ organization });
  if (failingSince !== null) return failingSince;
  const asked = { organization, state: 'failed', isTest: false, limit: maxListedDeliveries } as const;
  const { deliveries } = await core.listDeliveries(asked);
  return deliveries.at(-1)?.createdAt ?? null;
}

/** What is counted exactly; above it we say so. */
const LONGEST = maxListedDeliveries - 1;

async function countFailed({ core }: Dashboard, { organization }: Visit, since: Date): Promise<number> {
  const asked = { organization, state: 'failed', isTest: false, since, limit: maxListedDeliveries } as const;
  return (await core.listDeliveries(asked)).deliveries.length;
}
