import type { MeetingChange } from '@rollcall/core';
import { securedOperation } from '../operation.js';

/** The rows are sent as the storage encoded them, as in an export. */
export const readMeetingChanges = securedOperation(
  'readMeetingChanges',
  async ({ core, organization, input, beforeLongTexts }) => {
    const { after, limit, column } = input;
    // Any page may have long texts.
    await beforeLongTexts();
    const { changes, next, hasMore } = await core.readMeetingChanges({
      ...{ organization, after, limit, columns: column },
    });
    return {
      before: '{"success":true,"changes":[',
      chunks: chunkOf(changes.map(textOf).join(',')),
      after: `],"next":${JSON.stringify(next)},"has_more":${hasMore}}`,
      isSmall: true,
      next: hasMore ? next : null,
    };
  },
);

function textOf({ id, changedAt, row }: MeetingChange): string {
  return `{"id":${id},"is_deleted":${row === null},"changed_at":"${changedAt.toISOString()}","meeting":${row}}`;
}

async function* chunkOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
