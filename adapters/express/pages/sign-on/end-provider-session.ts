import { Refusal } from '@rollcall/core';
import { countVisit } from '../access.js';
import { PageError } from '../errors/error-page.js';
import { readForm } from '../form.js';
import type { Page } from '../page.js';
import { setErrorCode } from '../page-headers.js';
import { paths } from '../paths.js';
import { canonicalId, type Visit } from '../visit.js';

/** For identity providers, which tell that someone has signed out there (OpenID Connect Back-Channel Logout 1.0). */
export const endProviderSession: Page = {
  path: paths.endProviderSession(':id'),
  isForPrograms: true,
  isSentByPrograms: true,
  async post(visit) {
    await countVisit(visit);
    const { core, request, response } = visit;
    try {
      await readForm(visit);
      const organizationId = canonicalId(request.params.id);
      await core.endProviderSession({ organizationId, token: visit.field('logout_token') });
      response.status(200).end();
    } catch (error) {
      refuse(visit, error);
    }
  },
};

/** As the specification asks: 400 with a reason. An outage is not a refusal: the provider tries again. */
function refuse({ response }: Visit, error: unknown): void {
  const isOutage = error instanceof Refusal && error.code === 'sign-on-unreachable';
  if (isOutage || !(error instanceof Refusal || error instanceof PageError)) throw error;
  const reason =
    error instanceof Refusal ? error.message : 'This is not a logout token of an identity provider';
  setErrorCode(response, 400);
  response.status(400).json({ error: 'invalid_request', error_description: reason });
}
