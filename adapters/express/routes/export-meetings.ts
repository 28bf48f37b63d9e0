import type { ExportedMeetings } from '@rollcall/core';
import { type Input, type OrganizationCall, securedOperation } from '../operation.js';
import type { Streamed } from '../stream.js';

/** Section 4.6. */
export const exportMeetings = securedOperation('exportMeetings', exportAll);
export const exportMeetingsByPost = securedOperation('exportMeetingsByPost', exportAll);

async function exportAll({
  core,
  organization,
  input,
}: OrganizationCall<Input<'exportMeetings'>>): Promise<Streamed> {
  const { metadata, chunks } = await core.exportMeetings({
    organization,
    columns: input.column ?? [],
    reportingDays: input.reporting_days,
    startTime: input.start_time,
    endTime: input.end_time,
    reportType: input.report_type,
    timeZone: input.time_zone,
    page: input.page,
    perPage: input.per_page,
  });
  const hasNext = metadata !== null && metadata.page < metadata.totalPages;
  return {
    before: beginning(metadata),
    chunks,
    after: ']}',
    isSmall: metadata !== null,
    nextPage: hasNext ? metadata.page + 1 : null,
  };
}

function beginning(metadata: ExportedMeetings['metadata']): string {
  if (metadata === null) return '{"success":true,"meetings":[';
  const { page, perPage, totalPages, totalCount } = metadata;
  const wire = { page, per_page: perPage, total_pages: totalPages, total_count: totalCount };
  return `{"success":true,"metadata":${JSON.stringify(wire)},"meetings":[`;
}
