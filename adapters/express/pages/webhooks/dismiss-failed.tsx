import { ask } from '../ask.js';
import { type FormProblems, noProblems } from '../design/form.js';
import { counted } from '../design/list.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { canonicalId, type MemberVisit } from '../visit.js';

const [DELIVERY, COUNT] = ['delivery', 'count'] as const;

const changed: FormProblems = {
  general: 'Nothing was dismissed, because the number has changed since you opened this page.',
  fields: {},
};

/** Ends failed deliveries that nobody needs any more: one, from its page, or all, after a question. */
export const dismissFailed = memberPage({
  path: paths.dismissFailed(':id'),
  get: (visit) => askAboutAll(visit),
  async post(visit) {
    const { core, organization, by } = visit;
    if (visit.field(DELIVERY) !== '') {
      const deliveryId = canonicalId(visit.field(DELIVERY));
      const key = { organization, deliveryId };
      const dismissed = await core.dismissFailed({ ...key, by });
      // Throws if there is no such delivery.
      if (dismissed === 0) await core.readDelivery(key);
      const notice = dismissed === 0 ? 'nothing-undelivered' : 'delivery-dismissed';
      return visit.leadTo(paths.delivery(organization.id, deliveryId), notice);
    }
    const count = await core.countDeliveries({ organization, states: ['failed'] });
    // Something has failed, or was resent, since the reader was asked.
    if (String(count) !== visit.field(COUNT)) return askAboutAll(visit, changed);
    await core.dismissFailed({ organization, deliveryId: 'all', by });
    visit.leadTo(paths.webhooks(organization.id), 'deliveries-dismissed');
  },
});

async function askAboutAll(visit: MemberVisit, problems = noProblems): Promise<void> {
  const { core, organization } = visit;
  const count = await core.countDeliveries({ organization, states: ['failed'] });
  if (count === 0) return visit.leadTo(paths.webhooks(organization.id), 'nothing-undelivered');
  const events = counted(count, { one: 'undelivered event', several: 'undelivered events' });
  ask(visit, {
    title: `Dismiss ${events}?`,
    fields: { [COUNT]: String(count) },
    problems,
    kind: 'primary',
    submit: 'Dismiss',
    cancelPath: paths.webhooks(organization.id),
    children: (
      <p>
        {count === 1 ? 'It is not sent again and is' : 'They are not sent again and are'} no longer counted as
        undelivered. {count === 1 ? 'It stays' : 'They stay'} in the log as skipped, and you can still resend{' '}
        {count === 1 ? 'it' : 'each'} from its page. Your name is kept in the activity.
      </p>
    ),
  });
}
