import { Refusal } from '@rollcall/core';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';

/** Sends a test and waits until it ends, at most 16 seconds. The webhooks page shows the result. */
export const testWebhook = memberPage({
  path: paths.testWebhook(':id'),
  role: 'admin',
  section: 'webhooks',
  // If the session ended before the form was sent, signing in leads here.
  get: (visit) => visit.leadTo(paths.webhooks(visit.organization.id)),
  async post(visit) {
    const { core, organization, by } = visit;
    const notice = await core
      .testWebhook({ organization, by })
      .then(() => 'webhook-tested' as const, noticeOf);
    visit.leadTo(`${paths.webhooks(organization.id)}#test`, notice);
  },
});

function noticeOf(error: unknown) {
  if (!(error instanceof Refusal)) throw error;
  if (error.code === 'webhook-test-under-way') return 'webhook-test-under-way';
  if (error.code === 'invalid-webhook') return 'webhook-test-needs-url';
  throw error;
}
