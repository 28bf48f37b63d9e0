import { csvText } from '../values/csv.js';
import { columnValue, type ExportColumn, type ExportedMeeting, type ExportFormat } from './export-columns.js';

/** Encodes one row in the `json` form. Parsed, the rows of every adapter must equal this one. */
export function encodeRow(meeting: ExportedMeeting, columns: readonly ExportColumn[]): string {
  return JSON.stringify(Object.fromEntries(columns.map(({ key, as }) => [as, columnValue(meeting, key)])));
}

/** Encodes rows in the given form, as `Meetings.export` promises them. */
export function encodeRows(
  meetings: readonly ExportedMeeting[],
  { columns, form }: { readonly columns: readonly ExportColumn[]; readonly form: ExportFormat },
): readonly string[] {
  if (form === 'csv') return meetings.map((meeting) => `${csvRecord(meeting, columns)}\r\n`);
  const rows = meetings.map((meeting) => encodeRow(meeting, columns));
  return rows.map((row, index) => (form === 'ndjson' ? `${row}\n` : (index === 0 ? '' : ',') + row));
}

function csvRecord(meeting: ExportedMeeting, columns: readonly ExportColumn[]): string {
  return columns
    .map(({ key, type }) => {
      const value = columnValue(meeting, key);
      if (value === null) return '';
      return type === 'string' || type === 'text or null' ? csvText(String(value)) : String(value);
    })
    .join(',');
}
