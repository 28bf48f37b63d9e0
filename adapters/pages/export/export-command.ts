import { BEARER, guideCommands } from '../docs/commands.js';
import type { PublicAddress } from '../public-address.js';
import { type ExportChoice, queryOf } from './export-choice.js';

/** Two commands for a shell that give the file; whoever has an access key puts it into the first line. */
export function exportCommand(
  { origin }: PublicAddress,
  { organizationId, choice }: { readonly organizationId: number; readonly choice: ExportChoice },
): string {
  const authenticate = guideCommands(origin).find(({ id }) => id === 'authenticate');
  return `API=${origin}/api/v2
ACCESS_KEY='the 24 digits of your access key'
${authenticate?.command}
curl -sS -f -g -o meetings.json ${BEARER} \\
  "$API/organizations/${organizationId}/export_meetings?${queryOf(choice)}"`;
}
