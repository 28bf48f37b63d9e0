import { Refusal } from '@rollcall/core';
import type { Dashboard } from '../dashboard.js';
import { leaveNotice } from '../design/notice.js';
import type { Page } from '../page.js';
import { byVisitor, inOrganization } from '../visit.js';
import { webhookDoor, webhookPath } from './webhook-paths.js';

/** Sends a test and waits for its end, 16 seconds at most. The webhooks page shows the result. */
export function testWebhook(dashboard: Dashboard): Page {
  return {
    path: '/organizations/:id/webhooks/test',
    // Signing in leads here when the session had ended before the form was sent.
    get: inOrganization(dashboard, webhookDoor, ({ organization, response }) =>
      response.redirect(303, webhookPath(organization.id)),
    ),
    post: inOrganization(dashboard, webhookDoor, async (visit) => {
      const { organization, response } = visit;
      const notice = await test();
      leaveNotice(dashboard, response, notice);
      response.redirect(303, `${webhookPath(organization.id)}#test`);

      async function test() {
        try {
          await dashboard.core.testWebhook({ organization, by: byVisitor(visit) });
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
