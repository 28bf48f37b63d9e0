import { availableEvents } from '@rollcall/core/rules';

/** A command of the guide. They run in one shell, in this order. */
export interface Command {
  readonly id: string;
  readonly label: string;
  readonly command: string;
}

/** The header of every call except the first. */
export const BEARER = '-H "Authorization: Bearer $TOKEN"';
/** Shows errors but no progress, and ends the answer with a line break, so that the prompt is below it. */
const CURL = "curl -sS -w '\\n'";
const JSON_BODY = "-H 'Content-Type: application/json'";

/** Needs `API` and `ACCESS_KEY`. */
export const AUTHENTICATE = `TOKEN=$(curl -sS -f "$API/authenticate" ${JSON_BODY} \\
  -d "{\\"access_key\\":\\"$ACCESS_KEY\\"}" | sed -n 's/.*"token":"\\([^"]*\\)".*/\\1/p')`;

/** Only the first command has values of the reader. All others use its variables, and what earlier ones have found. */
export function guideCommands(
  publicUrl: string,
  { organization, accessKey }: { readonly organization: string; readonly accessKey: string },
) {
  const all = [
    {
      id: 'given',
      label: 'Your values',
      command: `API=${publicUrl}/api/v2
ORGANIZATION=${organization}
ACCESS_KEY=${accessKey}`,
    },
    {
      id: 'authenticate',
      label: 'A token for one day',
      command: AUTHENTICATE,
    },
    {
      id: 'invite',
      label: 'Invite someone',
      command: `${CURL} "$API/organizations/$ORGANIZATION/invite_user" ${BEARER} \\
  -d email=ada@example.test -d first_name=Ada -d last_name=Lovelace -d idp_id=ada`,
    },
    {
      id: 'users',
      label: 'Your users, three at a time',
      command: `${CURL} "$API/organizations/$ORGANIZATION/users?limit=3" ${BEARER}`,
    },
    {
      id: 'user',
      label: 'The id of one of your members',
      command: `USER_ID=$(curl -sS -f "$API/organizations/$ORGANIZATION/users?role=member&limit=1" ${BEARER} \\
  | sed -n 's/.*"id":"\\([^"]*\\)".*/\\1/p')`,
    },
    {
      id: 'upcoming',
      label: 'A member’s upcoming meetings',
      command: `${CURL} "$API/organizations/$ORGANIZATION/users/$USER_ID/upcoming_meetings?items=3" ${BEARER}`,
    },
    {
      id: 'login',
      label: 'A link that signs a member in',
      command: `${CURL} -X POST "$API/organizations/$ORGANIZATION/users/$USER_ID/generate_otl_url" ${BEARER}`,
    },
    {
      id: 'export',
      label: 'Last month’s meetings',
      command: `${CURL} -g "$API/organizations/$ORGANIZATION/export_meetings?column[]=name&column[]=start_time&reporting_days=last_month" \\
  ${BEARER}`,
    },
    {
      id: 'webhook',
      label: 'Get notified when someone registers',
      command: `${CURL} "$API/organizations/$ORGANIZATION/webhook" ${BEARER} ${JSON_BODY} \\
  -d '{"webhook":{"url":"https://example.com/hooks","enabled":true,"events":${JSON.stringify(availableEvents)}},"regenerate_secret":"1"}'`,
    },
    {
      id: 'every-person',
      label: 'Everyone, 100 at a time',
      command: `AFTER=
while :; do
  PAGE=$(curl -sS -f "$API/organizations/$ORGANIZATION/users?limit=100&after=$AFTER" ${BEARER}) || break
  printf '%s\\n' "$PAGE"
  AFTER=$(printf '%s' "$PAGE" | sed -n 's/.*"next":"\\([^"]*\\)".*/\\1/p')
  [ -n "$AFTER" ] || break
done`,
    },
    {
      id: 'by-idp-id',
      label: 'One person by your own ID',
      command: `${CURL} -G "$API/organizations/$ORGANIZATION/users" ${BEARER} --data-urlencode "idp_id=ada"`,
    },
    {
      id: 'set-idp-id',
      label: 'Set a member’s idp_id',
      command: `${CURL} -X PATCH "$API/organizations/$ORGANIZATION/users/$USER_ID" ${BEARER} ${JSON_BODY} \\
  -d '{"user":{"idp_id":"E-1001"}}'`,
    },
    {
      id: 'invite-many',
      label: 'Invite two people at once',
      command: `${CURL} "$API/organizations/$ORGANIZATION/invite_users" ${BEARER} ${JSON_BODY} \\
  -H 'Idempotency-Key: new-people-2026-11' -d '{"users":[
  {"email":"grace@example.test","first_name":"Grace","last_name":"Hoper","idp_id":"grace"},
  {"email":"alan@example.test","first_name":"Alan","last_name":"Turing"}]}'`,
    },
    {
      id: 'invitations',
      label: 'Your pending invitations, three at a time',
      command: `${CURL} "$API/organizations/$ORGANIZATION/invitations?state=pending&limit=3" ${BEARER}`,
    },
    {
      id: 'invitation',
      label: 'The id of an invitation',
      command: `INVITATION_ID=$(curl -sS -f "$API/organizations/$ORGANIZATION/invitations?email=grace@example.test&state=pending" ${BEARER} \\
  | sed -n 's/.*"id":"\\([^"]*\\)".*/\\1/p')`,
    },
    {
      id: 'renew',
      label: 'A corrected name and a new link',
      command: `${CURL} "$API/organizations/$ORGANIZATION/invitations/$INVITATION_ID/renew" ${BEARER} ${JSON_BODY} \\
  -d '{"last_name":"Hopper"}'`,
    },
    {
      id: 'failures',
      label: 'Failed deliveries, the newest first',
      command: `${CURL} "$API/organizations/$ORGANIZATION/webhook/deliveries?state=failed&limit=3" ${BEARER}`,
    },
    {
      id: 'redeliver',
      label: 'Resend everything that has failed since a time',
      command: `${CURL} "$API/organizations/$ORGANIZATION/webhook/redeliver_failed" ${BEARER} ${JSON_BODY} \\
  -d '{"since":"2026-11-01T00:00:00Z"}'`,
    },
    {
      id: 'feed',
      label: 'The oldest events',
      command: `${CURL} "$API/organizations/$ORGANIZATION/events?limit=3" ${BEARER}`,
    },
    {
      id: 'newest',
      label: 'The place of the newest event',
      command: `NEXT=$(curl -sS -f "$API/organizations/$ORGANIZATION/events?order=desc&limit=1" ${BEARER} \\
  | sed -n 's/.*"next":"\\([^"]*\\)".*/\\1/p')`,
    },
    {
      id: 'following',
      label: 'Later: what has happened since then',
      command: `${CURL} "$API/organizations/$ORGANIZATION/events?after=$NEXT" ${BEARER}`,
    },
    {
      id: 'rotate',
      label: 'Rotate the secret, and keep the old one in use for a day',
      command: `${CURL} -X PATCH "$API/organizations/$ORGANIZATION/webhook" ${BEARER} ${JSON_BODY} \\
  -d '{"webhook":{"enabled":true},"regenerate_secret":"1","overlap_hours":24}'`,
    },
    {
      id: 'finish',
      label: 'Finish the rotation',
      command: `${CURL} -X POST "$API/organizations/$ORGANIZATION/webhook/finish_rotation" ${BEARER}`,
    },
    {
      id: 'columns',
      label: 'List the columns',
      command: `${CURL} "$API/organizations/$ORGANIZATION/export_meetings/columns" ${BEARER}`,
    },
    {
      id: 'range',
      label: 'Custom range and time zone',
      command: `${CURL} -G "$API/organizations/$ORGANIZATION/export_meetings" ${BEARER} \\
  -d column=name -d column=price -d reporting_days=custom -d time_zone=Europe/Berlin \\
  --data-urlencode "start_time=11/01/2026 12:00 AM" --data-urlencode "end_time=11/30/2026 11:59 PM"`,
    },
    {
      id: 'page',
      label: 'Second page, 100 per page',
      command: `${CURL} -g "$API/organizations/$ORGANIZATION/export_meetings?column[]=name&page=2&per_page=100" ${BEARER}`,
    },
    {
      id: 'whole',
      label: 'Everything, saved to a file',
      command: `curl -sS -f -g -o meetings.json ${BEARER} \\
  "$API/organizations/$ORGANIZATION/export_meetings?column[]=name&column[]=start_time&column[]=status&reporting_days=everything"`,
    },
    {
      id: 'csv',
      label: 'Completed meetings as CSV',
      command: `curl -sS -f -g -o meetings.csv ${BEARER} -H 'Accept: text/csv' \\
  "$API/organizations/$ORGANIZATION/export_meetings?column[]=name&column[]=start_time&column[]=host"`,
    },
    {
      id: 'copy',
      label: 'Every meeting with its id, one per line',
      command: `curl -sS -f -g -o meetings.ndjson ${BEARER} -H 'Accept: application/x-ndjson' \\
  "$API/organizations/$ORGANIZATION/export_meetings?column[]=id&column[]=updated_at&column[]=name&reporting_days=everything"`,
    },
    {
      id: 'since',
      label: 'Later: what has changed since then',
      command: `LATEST=$(grep -o '"updated_at":"[^"]*"' meetings.ndjson | sort | tail -n 1 | cut -d '"' -f 4)
curl -sS -f -g -o changes.ndjson ${BEARER} -H 'Accept: application/x-ndjson' \\
  "$API/organizations/$ORGANIZATION/export_meetings?column[]=id&column[]=updated_at&column[]=name&reporting_days=everything&updated_since=$LATEST"`,
    },
    {
      id: 'first-changes',
      label: 'Every meeting, page by page, and the place of the last change',
      command: `AFTER=
while :; do
  PAGE=$(curl -sS -f -g "$API/organizations/$ORGANIZATION/meeting_changes?limit=1000&column[]=name&column[]=start_time&after=$AFTER" \\
    ${BEARER}) || break
  printf '%s\\n' "$PAGE"
  AFTER=$(printf '%s' "$PAGE" | sed -n 's/.*"next":"\\([^"]*\\)".*/\\1/p')
  case $PAGE in *'"has_more":true}') ;; *) break ;; esac
done`,
    },
    {
      id: 'later-changes',
      label: 'Later: what has changed since then',
      command: `${CURL} -g "$API/organizations/$ORGANIZATION/meeting_changes?column[]=name&column[]=start_time&after=$AFTER" \\
  ${BEARER}`,
    },
    {
      id: 'code',
      label: 'The code of an error',
      command: `curl -sS -o error.json -D - "$API/organizations/$ORGANIZATION/webhook" | grep -i x-error-code`,
    },
    {
      id: 'events',
      label: 'List the available events',
      command: `${CURL} "$API/organizations/$ORGANIZATION/webhook" ${BEARER}`,
    },
  ] as const satisfies readonly Command[];
  return all;
}

export type CommandId = ReturnType<typeof guideCommands>[number]['id'];
