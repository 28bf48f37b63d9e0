import { parseClockTime } from '@rollcall/core/rules';
import { ask, showMessage } from '../ask.js';
import { Button } from '../design/components.js';
import { otherProblems, Submit } from '../design/form.js';
import { counted, inEnglish } from '../design/list.js';
import { localTextWithSeconds, ZonedTime, zoneName } from '../design/times.js';
import { PageError } from '../errors/error-page.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit, PartProps } from '../visit.js';
import { NOT_A_TIMESTAMP, resentPath } from './delivery-query.js';
import { Person, TimestampField } from './list-deliveries.js';

/** How many events the question names. */
const MAX_NAMED = 5;

/** Asks whether to resend the undelivered events, all or those since a time, and says whose they are. */
export const redeliverFailed = memberPage({
  path: paths.redeliverFailed(':id'),
  keeps: ['since'],
  async get(visit) {
    const { request, zone, kept } = visit;
    const text = String(request.query.since ?? '').trim();
    const typed = text === '' ? EVER : parseClockTime(text, zone)?.first;
    const since = kept === null ? typed : new Date(kept.since ?? '');
    if (since === undefined || Number.isNaN(since.getTime()))
      return visit.showCard(
        { title: 'Resend undelivered events since a time', problems: otherProblems },
        <SinceForm visit={visit} value={text} problem={`Since ${NOT_A_TIMESTAMP}`} />,
      );
    await showQuestion(visit, since);
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

async function showQuestion(visit: MemberVisit, since: Date): Promise<void> {
  const { core, organization, zone } = visit;
  const path = paths.webhooks(organization.id);
  const [count, { deliveries }, webhook] = await Promise.all([
    core.countDeliveries({ organization, states: ['failed'], since }),
    core.listDeliveries({ organization, state: 'failed', isTest: false, since, limit: MAX_NAMED }),
    core.readWebhook({ organization }),
  ]);
  const isAll = since.getTime() === EVER.getTime();
  if (count === 0 && isAll) return visit.leadTo(path, 'nothing-undelivered');
  if (count === 0)
    return showMessage(visit, {
      title: 'Nothing to resend',
      back: { href: path, text: 'Back to webhooks' },
      next: { href: paths.redeliverFailed(organization.id), text: 'See all undelivered events' },
      children: (
        <p>
          No event since <ZonedTime at={since} zone={zone} hasSeconds /> is undelivered.
        </p>
      ),
    });
  const isOne = count === 1;
  ask(visit, {
    title: `Resend ${counted(count, { one: 'undelivered event', several: 'undelivered events' })}?`,
    fields: { since: since.toISOString() },
    kind: 'primary',
    submit: 'Resend',
    cancelPath: path,
    children: (
      <>
        <ul>
          {deliveries.map((delivery) => (
            <li key={delivery.id}>
              <Person {...delivery} />, <ZonedTime at={delivery.createdAt} zone={zone} hasSeconds />
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
        <details open={!isAll}>
          <summary>Only those since a time</summary>
          <SinceForm visit={visit} value={isAll ? '' : localTextWithSeconds(since, zone)} />
        </details>
      </>
    ),
  });
}

/** With a problem, it is alone on the page. */
function SinceForm({ visit, value, problem }: PartProps<{ value: string; problem?: string }>) {
  const { organization, zone } = visit;
  return (
    <form method="get" action={paths.redeliverFailed(organization.id)} noValidate>
      <TimestampField
        name="since"
        label="Since"
        value={value}
        help={`The time of the first event to resend, in ${zoneName(zone)}.`}
        problem={problem}
      />
      {problem === undefined ? (
        <Button>Show these</Button>
      ) : (
        <Submit label="Show these" cancelPath={paths.webhooks(organization.id)} />
      )}
    </form>
  );
}
