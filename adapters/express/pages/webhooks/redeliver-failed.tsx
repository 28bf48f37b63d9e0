import { maxListedDeliveries, parseClockTime } from '@rollcall/core/rules';
import type { Request } from 'express';
import { Button, ButtonLink } from '../design/button.js';
import { Confirm } from '../design/components.js';
import { Field, INVALID_FORM_STATUS } from '../design/form.js';
import { setNotice } from '../design/notice.js';
import { localTextWithSeconds, Timestamp, zoneName } from '../design/times.js';
import { type FormToken, fieldOf } from '../form-guard.js';
import { openForm } from '../kept-form.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { PageError } from '../page-error.js';
import { actorOf, requireMember, showPageTo, type Visit } from '../visit.js';
import { NOT_A_TIMESTAMP } from './delivery-query.js';
import { webhookAccess, webhookPath } from './webhook-paths.js';

/** The value of `since` that means: since deliveries started to fail. */
const FAILING = 'failing';

/** Asks since when, shows how many events have failed since then, and resends them on confirmation. */
export function redeliverFailed(deps: PageDeps): Page {
  const { core } = deps;
  return {
    path: '/organizations/:id/webhooks/redeliver',
    get: requireMember(deps, webhookAccess, async (visit) => {
      const { request, zone } = visit;
      const { since: text } = request.query;
      const { token, kept } = openForm(deps, visit);
      const keptSince = text === undefined && kept !== null ? new Date(kept.since ?? '') : null;
      if (keptSince !== null && !Number.isNaN(keptSince.getTime()))
        return showQuestion(deps, visit, { since: keptSince, token });
      const first = text === undefined || text === FAILING ? await firstFailed(deps, visit) : null;
      if (text === FAILING && first !== null) return showQuestion(deps, visit, { since: first, token });
      if (text === undefined || text === FAILING)
        return showSinceForm(deps, visit, { text: first === null ? '' : localTextWithSeconds(first, zone) });
      const since = parseClockTime(String(text), zone)?.first ?? null;
      if (since === null)
        return showSinceForm(deps, visit, { text: String(text), problem: `Since ${NOT_A_TIMESTAMP}` });
      await showQuestion(deps, visit, { since, token });
    }),
    keptForm: { fields: ['since'] },
    post: requireMember(deps, webhookAccess, async (visit) => {
      const { organization, request, response } = visit;
      await core.redeliverFailed({ organization, since: sinceIn(request), by: actorOf(visit) });
      setNotice(deps, response, 'deliveries-redelivered');
      response.redirect(303, `${webhookPath(organization.id)}#log`);
    }),
  };
}

/** Reads the time in the form that the confirmation wrote. */
function sinceIn(request: Request): Date {
  const since = new Date(fieldOf(request, 'since'));
  if (Number.isNaN(since.getTime())) throw new PageError('malformed-form');
  return since;
}

interface SinceInput {
  readonly text: string;
  readonly problem?: string;
}

function showSinceForm(deps: PageDeps, visit: Visit, { text, problem }: SinceInput): void {
  const path = webhookPath(visit.organization.id);
  const title = 'Resend failed deliveries';
  showPageTo(visit, deps, {
    status: problem === undefined ? 200 : INVALID_FORM_STATUS,
    title: problem === undefined ? title : `Error: ${title}`,
    body: (
      <section class="card narrow">
        <h1>{title}</h1>
        <form method="get" action={`${path}/redeliver`} noValidate>
          <Field
            name="since"
            label="Since"
            type="datetime-local"
            step={1}
            autocomplete="off"
            value={text}
            help={`The time of the first event to resend, in ${zoneName(visit.zone)}.`}
            problem={problem}
          />
          <div class="actions">
            <Button kind="primary">Continue</Button>
            <ButtonLink kind="quiet" href={path}>
              Cancel
            </ButtonLink>
          </div>
        </form>
      </section>
    ),
  });
}

interface Question {
  readonly since: Date;
  readonly token: FormToken;
}

async function showQuestion(deps: PageDeps, visit: Visit, { since, token }: Question): Promise<void> {
  const { organization, zone } = visit;
  const path = webhookPath(organization.id);
  const [count, webhook] = await Promise.all([
    deps.core.countDeliveries({ organization, states: ['failed'], since }),
    deps.core.readWebhook({ organization }),
  ]);
  if (count === 0) return showNothing(deps, visit, since);
  const question = `Resend ${count} ${count === 1 ? 'event' : 'events'}?`;
  showPageTo(visit, deps, {
    title: question,
    body: (
      <Confirm
        question={question}
        action={`${path}/redeliver`}
        token={token}
        fields={{ since: since.toISOString() }}
        kind="primary"
        confirmLabel="Resend"
        cancelPath={path}
      >
        <p>
          {count === 1 ? 'It happened' : 'They happened'} at <Timestamp at={since} zone={zone} hasSeconds /> (
          {zoneName(zone)}) or later and {count === 1 ? 'was' : 'were'} not delivered. Tests are not counted.{' '}
          {count === 1 ? 'It is' : 'Each is'} resent once to the current URL, with the same body and event ID.{' '}
          <a href={`${path}/redeliver`}>Choose another time</a>
        </p>
        {webhook?.enabled !== true && (
          <p>
            <strong>The webhook is off.</strong> <a href={`${path}#settings`}>Turn it on</a> first, or all of
            them will be skipped.
          </p>
        )}
      </Confirm>
    ),
  });
}

function showNothing(deps: PageDeps, visit: Visit, since: Date): void {
  const path = webhookPath(visit.organization.id);
  showPageTo(visit, deps, {
    title: 'Nothing to resend',
    body: (
      <section class="card narrow">
        <h1>Nothing to resend</h1>
        <p>
          No delivery has failed since <Timestamp at={since} zone={visit.zone} hasSeconds /> (
          {zoneName(visit.zone)}).
        </p>
        <div class="actions">
          <ButtonLink kind="primary" href={path}>
            Back to webhooks
          </ButtonLink>
          <ButtonLink kind="quiet" href={`${path}/redeliver`}>
            Choose another time
          </ButtonLink>
        </div>
      </section>
    ),
  });
}

/**
 * The time of the first event that failed since deliveries started to fail, or of the oldest of the latest failures. An
 * event happens before its delivery fails.
 */
async function firstFailed({ core }: PageDeps, { organization }: Visit): Promise<Date | null> {
  const request = { organization, state: 'failed', isTest: false, limit: maxListedDeliveries } as const;
  const [{ failingSince }, { deliveries }] = await Promise.all([
    core.readWebhookHealth({ organization }),
    core.listDeliveries(request),
  ]);
  const failed = deliveries.filter(
    ({ finishedAt }) => failingSince === null || (finishedAt !== null && finishedAt >= failingSince),
  );
  return failed.at(-1)?.createdAt ?? failingSince;
}
