import { Readable } from 'node:stream';
import { DatasetError, ownMeetings } from '@rollcall/sql/maintenance';
import { Failure } from '../failure.js';
import { type RunImport, runImport } from './run-import.js';

/**
 * Removes an organization with everything that belongs to it, all or nothing. It is an import of these removals, with the
 * same locks and the same entry in the log of imports. The accounts of its members stay.
 */
export async function removeOrganization(
  context: Pick<RunImport, 'database' | 'rules' | 'at'>,
  organizationId: number,
): Promise<void> {
  const meetings = await ownMeetings(context.database, organizationId);
  const records = [
    ...meetings.map((id) => ({ kind: 'meeting', id, deleted: true })),
    { kind: 'organization', id: organizationId, deleted: true },
  ];
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const source = Readable.from([Buffer.from(lines)]);
  const origin = { source: 'command-line', from: null } as const;
  const { counts } = await runImport({ ...context, source, isPlain: true, origin }).catch((error) => {
    if (!(error instanceof DatasetError)) throw error;
    // An import has added a meeting since.
    throw new Failure(
      `Organization ${organizationId} was changed meanwhile. Nothing was removed: run the command again.`,
    );
  });
  if (counts.organization.removed === 0) throw new Failure(`There is no organization ${organizationId}`);
}
