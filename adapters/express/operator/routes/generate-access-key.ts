import { formatTimestamp } from '../../timestamp.js';
import { operatorOperation } from '../operator-operation.js';
import { organizationNumber } from '../organization-number.js';

/** Answers the key, once. */
export const generateAccessKey = operatorOperation('generateAccessKey', async ({ core, path, input, by }) => {
  const { accessKey, organization } = await core.generateAccessKey({
    organizationId: organizationNumber(path.organizationId),
    keepOldForHours: input.keep_old_hours,
    by,
  });
  const { id, previousAccessKey } = organization;
  return {
    organization_id: id,
    access_key: accessKey.reveal(),
    old_key_ends_at: previousAccessKey === null ? null : formatTimestamp(previousAccessKey.until),
  };
});
