import { operatorOperation } from '../operator-operation.js';
import { personIn } from '../person.js';

export const eraseUser = operatorOperation('eraseUser', async ({ core, input, by }) => {
  const { force = false } = input;
  const { organizationIds, withoutOwner } = await core.eraseUser({ ...personIn(input), force, by });
  return { organization_ids: [...organizationIds], without_owner: [...withoutOwner] };
});
