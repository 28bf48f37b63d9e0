import type { ExportColumn, ExportedMeetings } from '@rollcall/core';
import { exportColumns } from '@rollcall/core/rules';
import { exportFormIn } from '../export-form.js';
import { type Answer, type Input, type OrganizationCall, securedOperation } from '../operation.js';
import type { Streamed } from '../stream.js';

/** Section 4.6. */
export const exportMeetings = securedOperation('exportMeetings', exportAll);
export const exportMeetingsByPost = securedOperation('exportMeetingsByPost', exportAll);

async function exportAll({
  core,
  organization,
  input,
  accept,
}: OrganizationCall<Input<'exportMeetings'>>): Promise<Streamed> {
  const { form, contentType } = exportFormIn(accept);
  const { metadata, chunks } = await core.exportMeetings({
    organization,
    form,
    columns: input.column ?? [],
    reportingDays: input.reporting_days,
    startTime: input.start_time,
    endTime: input.end_time,
    updatedSince: input.updated_since,
    reportType: input.report_type,
    timeZone: input.time_zone,
    page: input.page,
    perPage: input.per_page,
  });
  const hasNext = metadata !== null && metadata.page < metadata.totalPages;
  return {
    before: form === 'json' ? beginning(metadata) : '',
    chunks,
    after: form === 'json' ? ']}' : '',
    contentType,
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

type WireType = Answer<'listExportColumns'>['columns'][number]['type'];

/** The columns that section 4.6 can be asked for. */
export const listExportColumns = securedOperation('listExportColumns', async () => ({
  success: true as const,
  columns: exportColumns.map(({ key, label, type }) => ({ key, label, type: wireTypes[type] })),
}));

const wireTypes: Readonly<Record<ExportColumn['type'], WireType>> = {
  string: 'string',
  'text or null': 'string or null',
  instant: 'string',
  integer: 'integer',
  'integer or null': 'integer or null',
  price: 'number',
  boolean: 'boolean',
};
