import { setNotice } from '../design/notice.js';
import { fieldOf } from '../form-guard.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { PageError } from '../page-error.js';
import { actorOf, requireMember } from '../visit.js';
import { webhookAccess, webhookPath } from './webhook-paths.js';

/** Ends the rotation that the webhooks page showed, so that only the new secret is used. */
export function finishRotation(deps: PageDeps): Page {
  return {
    path: '/organizations/:id/webhooks/secret/finish',
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
