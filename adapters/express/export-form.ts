import type { ExportFormat } from '@rollcall/core';
import Negotiator from 'negotiator';

/** The form of an export, and the media type of a form other than JSON. */
interface AcceptedForm {
  readonly form: ExportFormat;
  readonly contentType: string | undefined;
}

const json: AcceptedForm = { form: 'json', contentType: undefined };

/** By media type, the preferred one first. */
const forms = new Map<string, AcceptedForm>([
  ['application/json', json],
  ['text/csv', { form: 'csv', contentType: 'text/csv; charset=utf-8; header=present' }],
  ['application/x-ndjson', { form: 'ndjson', contentType: 'application/x-ndjson; charset=utf-8' }],
]);

/** Parameters other than the weight. A client that names the charset means the same type. */
const parameters = /;(?!\s*q\s*=)[^;,]*/gi;

/** The form that the header `Accept` prefers. JSON if it names neither of the others: no client is refused for it. */
export function exportFormIn(accept: string): AcceptedForm {
  if (!/\b(?:text\/csv|application\/x-ndjson)\b/i.test(accept)) return json;
  const preferred = new Negotiator({ headers: { accept: accept.replace(parameters, '') } }).mediaType([
    ...forms.keys(),
  ]);
  return forms.get(preferred ?? '') ?? json;
}
