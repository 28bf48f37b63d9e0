import { parseClockTime } from '@rollcall/core/rules';
import { ask, showMessage } from '../ask.js';
import { Button } from '../design/components.js';
import { Field, noProblems, otherProblems } from '../design/form.js';
import { counted, inEnglish } from '../design/list.js';
import { localTextWithSeconds, ZonedTime, zoneName } from '../design/times.js';
import { PageError } from '../errors/error-page.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { NOT_A_TIMESTAMP, resentPath } from './delivery-query.js';
import { Person } from './list-deliveries.js';

/** How many events the question names. */
const MAX_NAMED = 5;

/** Asks whether to resend the undelivered events, all or those since a time, and says whose they are. */
export const redeliverFailed = memberPage({
  path: paths.redeliverFailed(':id'),
  section: 'webhooks',
  keeps: ['since'],
  async get(visit) {
    const { request, zone, kept } = visit;
    const text = String(request.query.since ?? '').trim();
    const keptSince = request.query.since === undefined && kept !== null ? new Date(kept.since ?? '') : null;
    if (keptSince !== null && !Number.isNaN(keptSince.getTime()))
      return showQuestion(visit, { text, since: keptSince });
    const since = text === '' ? EVER : (parseClockTime(text, zone)?.first ?? null);
    if (since !== null) return showQuestion(visit, { text, since });
    await showQuestion(visit, { text, since: EVER, problem: `Since ${NOT_A_TIMESTAMP}` });
  },
  async post(visit) {
    const { core, organization, by } = visit;
    // As the confirmation wrote it.
    const since = new Date(visit.field('since'));
    if (Number.isNaN(since.getTime())) throw new PageError('malformed-form');
    await core.redeliverFailed({ organization, since, by });
    visit.leadTo(`${resentPath(paths.webhooks(organization.id), 'all')}#log`, 'deliveries-redelivered');
  },
});

/** Before all events. */
const EVER = new Date(0);

interface Asked {
  /** What was typed as the time, if it was. */
  readonly text: string;
  readonly since: Date;
  readonly problem?: string;
}

async function showQuestion(visit: MemberVisit, { text, since, problem }: Asked): Promise<void> {
  const { core, organization, zone } = visit;
  const path = paths.webhooks(organization.id);
  const [count, { deliveries }, webhook] = await Promise.all([
    core.countDeliveries({ organization, states: ['failed'], since }),
    core.listDeliveries({ organization, state: 'failed', isTest: false, since, limit: MAX_NAMED }),
    core.readWebhook({ organization }),
  ]);
  const time = since === EVER ? '' : localTextWithSeconds(since, zone);
  if (count === 0 && since === EVER) return visit.leadTo(path, 'nothing-undelivered');
  if (count === 0) return showNothing(visit, since);
  const isOne = count === 1;
  ask(visit, {
    title: `Resend ${counted(count, { one: 'undelivered event', several: 'undelivered events' })}?`,
    problems: problem === undefined ? noProblems : otherProblems,
    fields: { since: since.toISOString() },
    kind: 'primary',
    submit: 'Resend',
    cancelPath: path,
    children: (
      <>
        <ul>
          {deliveries.map((delivery) => (
            <li key={delivery.id}>
              <Person delivery={delivery} />, <ZonedTime at={delivery.createdAt} zone={zone} hasSeconds />
            </li>
          ))}
          {count > deliveries.length && <li>{`${inEnglish(count - deliveries.length)} more`}</li>}
        </ul>
        <p>
          {isOne ? 'It is' : 'Each is'} resent once to the current URL, with the same body and event ID. Tests
          are not resent.
        </p>
        {webhook?.enabled !== true && (
          <p>
            <strong>The webhook is off.</strong>{' '}
            <a href={paths.webhookSettings(organization.id)}>Turn it on</a> first, or{' '}
            {isOne ? 'it' : 'all of them'} will be skipped.
          </p>
        )}
        <details open={text !== ''}>
          <summary>Only those since a time</summary>
          <form method="get" action={paths.redeliverFailed(organization.id)} noValidate>
            <Field
              name="since"
              label="Since"
              type="datetime-local"
              step={1}
              autocomplete="off"
              isRequired={false}
              value={problem === undefined ? time : text}
              help={`The time of the first event to resend, in ${zoneName(zone)}.`}
              problem={problem}
            />
            <Button>Show these</Button>
          </form>
        </details>
      </>
    ),
  });
}

function showNothing(visit: MemberVisit, since: Date): void {
  const { organization, zone } = visit;
  showMessage(visit, {
    title: 'Nothing to resend',
    back: { href: paths.webhooks(organization.id), text: 'Back to webhooks' },
    next: { href: paths.redeliverFailed(organization.id), text: 'See all undelivered events' },
    children: (
      <p>
        No event since <ZonedTime at={since} zone={zone} hasSeconds /> is undelivered.
      </p>
    ),
  });
}
