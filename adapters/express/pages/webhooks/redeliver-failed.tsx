import { maxListedDeliveries, parseClockTime } from '@rollcall/core/rules';
import { ask, showMessage } from '../ask.js';
import { Field, noProblems, otherProblems, Submit } from '../design/form.js';
import { localTextWithSeconds, ZonedTime, zoneName } from '../design/times.js';
import { PageError } from '../errors/error-page.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { NOT_A_TIMESTAMP } from './delivery-query.js';

/** The value of `since` that means: since deliveries started to fail. */
const FAILING = 'failing';

/** Asks since when, shows how many events have failed since then, and resends them on confirmation. */
export const redeliverFailed = memberPage({
  path: paths.redeliverFailed(':id'),
  section: 'webhooks',
  keeps: ['since'],
  async get(visit) {
    const { request, zone, kept } = visit;
    const { since: text } = request.query;
    const keptSince = text === undefined && kept !== null ? new Date(kept.since ?? '') : null;
    if (keptSince !== null && !Number.isNaN(keptSince.getTime())) return showQuestion(visit, keptSince);
    if (text === undefined || text === FAILING) {
      const first = await firstFailed(visit);
      if (text === FAILING && first !== null) return showQuestion(visit, first);
      return showSinceForm(visit, { text: first === null ? '' : localTextWithSeconds(first, zone) });
    }
    const since = parseClockTime(String(text), zone)?.first ?? null;
    if (since !== null) return showQuestion(visit, since);
    showSinceForm(visit, { text: String(text), problem: `Since ${NOT_A_TIMESTAMP}` });
  },
  async post(visit) {
    const { core, organization, by } = visit;
    // As the confirmation wrote it.
    const since = new Date(visit.field('since'));
    if (Number.isNaN(since.getTime())) throw new PageError('malformed-form');
    await core.redeliverFailed({ organization, since, by });
    visit.leadTo(`${paths.webhooks(organization.id)}#log`, 'deliveries-redelivered');
  },
});

interface SinceInput {
  readonly text: string;
  readonly problem?: string;
}

function showSinceForm(visit: MemberVisit, { text, problem }: SinceInput): void {
  const path = paths.webhooks(visit.organization.id);
  visit.showCard({
    title: 'Resend failed deliveries',
    problems: problem === undefined ? noProblems : otherProblems,
    children: (
      <form method="get" action={paths.redeliverFailed(visit.organization.id)} noValidate>
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
        <Submit label="Continue" cancelPath={path} />
      </form>
    ),
  });
}

async function showQuestion(visit: MemberVisit, since: Date): Promise<void> {
  const { core, organization, zone } = visit;
  const path = paths.webhooks(organization.id);
  const [count, webhook] = await Promise.all([
    core.countDeliveries({ organization, states: ['failed'], since }),
    core.readWebhook({ organization }),
  ]);
  if (count === 0) return showNothing(visit, since);
  ask(visit, {
    title: `Resend ${count} ${count === 1 ? 'event' : 'events'}?`,
    fields: { since: since.toISOString() },
    kind: 'primary',
    submit: 'Resend',
    cancelPath: path,
    children: (
      <>
        <p>
          {count === 1 ? 'It happened' : 'They happened'} at <ZonedTime at={since} zone={zone} hasSeconds />{' '}
          or later and {count === 1 ? 'was' : 'were'} not delivered. Tests are not counted.{' '}
          {count === 1 ? 'It is' : 'Each is'} resent once to the current URL, with the same body and event ID.{' '}
          <a href={paths.redeliverFailed(visit.organization.id)}>Choose another time</a>
        </p>
        {webhook?.enabled !== true && (
          <p>
            <strong>The webhook is off.</strong>{' '}
            <a href={paths.webhookSettings(organization.id)}>Turn it on</a> first, or all of them will be
            skipped.
          </p>
        )}
      </>
    ),
  });
}

function showNothing(visit: MemberVisit, since: Date): void {
  const { organization, zone } = visit;
  showMessage(visit, {
    title: 'Nothing to resend',
    back: { href: paths.webhooks(organization.id), text: 'Back to webhooks' },
    next: { href: paths.redeliverFailed(organization.id), text: 'Choose another time' },
    children: (
      <p>
        No delivery has failed since <ZonedTime at={since} zone={zone} hasSeconds />.
      </p>
    ),
  });
}

/**
 * The time of the first event that failed since deliveries started to fail, or of the oldest of the latest failures. An
 * event happens before its delivery fails.
 */
async function firstFailed({ core, organization }: MemberVisit): Promise<Date | null> {
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
