import { Confirm } from '../design/components.js';
import { Timestamp, zoneName } from '../design/times.js';
import { PageError } from '../errors/page-error.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';

/** Ends a rotation after asking, so that only the new secret is used. */
export const finishRotation = memberPage({
  path: paths.finishRotation(':id'),
  role: 'admin',
  section: 'webhooks',
  async get(visit) {
    const { core, organization, zone, token } = visit;
    const webhook = await core.readWebhook({ organization });
    const endsAt = webhook?.rotationEndsAt ?? null;
    const path = paths.webhooks(organization.id);
    if (endsAt === null) return visit.leadTo(path);
    visit.show({
      title: 'Finish the rotation?',
      body: (
        <Confirm
          question="Finish the rotation?"
          action={paths.finishRotation(organization.id)}
          token={token}
          fields={{ ends_at: endsAt.toISOString() }}
          confirmLabel="Finish the rotation"
          cancelPath={path}
        >
          <p>
            The old secret stops working at once instead of <Timestamp at={endsAt} zone={zone} /> (
            {zoneName(zone)}). If your endpoint does not have the new secret yet, it can’t verify our requests
            any more.
          </p>
        </Confirm>
      ),
    });
  },
  async post(visit) {
    const { core, organization, by } = visit;
    const endsAt = new Date(visit.field('ends_at'));
    if (Number.isNaN(endsAt.getTime())) throw new PageError('malformed-form');
    const webhook = await core.finishRotation({ organization, endsAt, by });
    const isFinished = webhook !== null && webhook.rotationEndsAt === null;
    visit.leadTo(paths.webhooks(organization.id), isFinished ? 'rotation-finished' : 'rotation-changed');
  },
});
