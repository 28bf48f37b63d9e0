import { Confirm } from '../design/components.js';
import { setNotice } from '../design/notice.js';
import { Timestamp, zoneName } from '../design/times.js';
import { fieldOf } from '../form-guard.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { PageError } from '../page-error.js';
import { actorOf, requireMember, showPageTo } from '../visit.js';
import { webhookAccess, webhookPath } from './webhook-paths.js';

/** Ends a rotation after asking, so that only the new secret is used. */
export function finishRotation(deps: PageDeps): Page {
  return {
    path: '/organizations/:id/webhooks/secret/finish',
    get: requireMember(deps, webhookAccess, async (visit) => {
      const { organization, zone, signedIn, response } = visit;
      const webhook = await deps.core.readWebhook({ organization });
      const endsAt = webhook?.rotationEndsAt ?? null;
      const path = webhookPath(organization.id);
      if (endsAt === null) return response.redirect(303, path);
      showPageTo(visit, deps, {
        title: 'Finish the rotation?',
        body: (
          <Confirm
            question="Finish the rotation?"
            action={`${path}/secret/finish`}
            token={signedIn.formToken}
            fields={{ ends_at: endsAt.toISOString() }}
            confirmLabel="Finish the rotation"
            cancelPath={path}
          >
            <p>
              The old secret stops working at once instead of <Timestamp at={endsAt} zone={zone} /> (
              {zoneName(zone)}). If your endpoint does not have the new secret yet, it can’t verify our
              requests any more.
            </p>
          </Confirm>
        ),
      });
    }),
    post: requireMember(deps, webhookAccess, async (visit) => {
      const { organization, request, response } = visit;
      const endsAt = new Date(fieldOf(request, 'ends_at'));
      if (Number.isNaN(endsAt.getTime())) throw new PageError('malformed-form');
      const webhook = await deps.core.finishRotation({ organization, endsAt, by: actorOf(visit) });
      const isFinished = webhook !== null && webhook.rotationEndsAt === null;
      setNotice(deps, response, isFinished ? 'rotation-finished' : 'rotation-changed');
      response.redirect(303, webhookPath(organization.id));
    }),
  };
}
