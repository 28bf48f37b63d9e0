import { Refusal } from '@rollcall/core';
import { setNotice } from '../design/notice.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { actorOf, requireMember } from '../visit.js';
import { webhookAccess, webhookPath } from './webhook-paths.js';

/** Sends a test and waits until it ends, at most 16 seconds. The webhooks page shows the result. */
export function testWebhook(deps: PageDeps): Page {
  return {
    path: '/organizations/:id/webhooks/test',
    // If the session ended before the form was sent, signing in leads here.
    get: requireMember(deps, webhookAccess, ({ organization, response }) =>
      response.redirect(303, webhookPath(organization.id)),
    ),
    post: requireMember(deps, webhookAccess, async (visit) => {
      const { organization, response } = visit;
      const notice = await test();
      setNotice(deps, response, notice);
      response.redirect(303, `${webhookPath(organization.id)}#test`);

      async function test() {
        try {
          await deps.core.testWebhook({ organization, by: actorOf(visit) });
          return 'webhook-tested';
        } catch (error) {
          return noticeOf(error);
        }
      }
    }),
  };
}

function noticeOf(error: unknown) {
  if (!(error instanceof Refusal)) throw error;
  if (error.code === 'webhook-test-under-way') return 'webhook-test-under-way';
  if (error.code === 'invalid-webhook') return 'webhook-test-needs-url';
  throw error;
}
