import { operatorOperation } from '../operator-operation.js';
import { organizationAnswer } from '../organization-answer.js';

export const createOrganization = operatorOperation('createOrganization', async ({ core, input, by }) => {
  const { name, eap = false } = input;
  return { organization: organizationAnswer(await core.createOrganization({ name, eap, by })) };
});
