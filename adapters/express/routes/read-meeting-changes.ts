import type { MeetingChange } from '@rollcall/core';
import { securedOperation } from '../operation.js';
import { encodedPage } from '../stream.js';

/** The rows are sent as the storage encoded them, as in an export. */
export const readMeetingChanges = securedOperation(
  'readMeetingChanges',
  async ({ core, organization, input, beforeLongTexts }) => {
    const { after, limit, column: columns } = input;
    // Any page may have long texts.
    await beforeLongTexts();
    const { changes, ...place } = await core.readMeetingChanges({ organization, after, limit, columns });
    return encodedPage('changes', { items: changes.map(textOf), ...place });
  },
);

function textOf({ id, changedAt, row }: MeetingChange): string {
  return `{"id":${id},"is_deleted":${row === null},"changed_at":"${changedAt.toISOString()}","meeting":${row}}`;
}
