import { Refusal } from '@rollcall/core';
import type { Dashboard } from '../dashboard.js';
import { leaveNotice } from '../design/notice.js';
import type { Page } from '../page.js';
import { byVisitor, inOrganization } from '../visit.js';
import { webhookAccess, webhookPath } from './webhook-paths.js';

/** Sends a test and waits until it ends, at most 16 seconds. The webhooks page shows the result. */
export function testWebhook(dashboard: Dashboard): Page {
  return {
    path: '/organizations/:id/webhooks/test',
    // If the session ended before the form was sent, signing in leads here.
    get: inOrganization(dashboard, webhookAccess, ({ organization, response }) =>
      response.redirect(303, webhookPath(organization.id)),
    ),
    post: inOrganization(dashboard, webhookAccess, async (visit) => {
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
