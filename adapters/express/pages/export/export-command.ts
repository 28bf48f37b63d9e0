import { AUTHENTICATE, BEARER } from '../docs/commands.js';
import type { PublicAddress } from '../public-address.js';
import { apiQuery, type ExportChoice } from './export-choice.js';

/** Shell commands that save the file. The reader puts their access key into the second line. */
export function exportCommand(
  { url }: PublicAddress,
  { organizationId, choice }: { readonly organizationId: number; readonly choice: ExportChoice },
): string {
  return `API=${url}/api/v2
ACCESS_KEY='your access key, 24 digits'
${AUTHENTICATE}
curl -sS -f -g -o meetings.json ${BEARER} \\
  "$API/organizations/${organizationId}/export_meetings?${apiQuery(choice)}"`;
}
