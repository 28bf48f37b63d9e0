import { operatorOperation } from '../operator-operation.js';
import { organizationAnswer } from '../organization-answer.js';

export const listOrganizations = operatorOperation('listOrganizations', async ({ core }) => ({
  organizations: (await core.listOrganizations()).map(organizationAnswer),
}));
