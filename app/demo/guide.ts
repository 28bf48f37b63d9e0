import { sampleFacts } from '../sample/sample-facts.js';
import { sampleUuid } from '../sample/sample-uuid.js';
import { styled } from '../terminal.js';
import { demoPassword, demoPeople } from './prepare-demo.js';

export interface GuideFacts {
  readonly publicUrl: string;
  readonly database: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly receiverUrl: string;
  /** The webhook's current URL, which a visitor may have changed. */
  readonly webhook: { readonly url: string | null; readonly enabled: boolean } | null;
  /** False when a visitor has replaced the access key since the first start. */
  readonly isAccessKeyValid: boolean;
}

/** Everything that a visitor needs to know. Printed as JSON if standard output is not a terminal. */
export type Guide = ReturnType<typeof createGuide>;

export function createGuide({
  publicUrl,
  database,
  counts,
  receiverUrl,
  webhook,
  isAccessKeyValid,
}: GuideFacts) {
  const { organization, member } = sampleFacts;
  const api = `${publicUrl}/api/v2`;
  return {
    database,
    sample: {
      organizations: counts.organization ?? 0,
      members: sampleFacts.members,
      meetings: counts.meeting ?? 0,
      registrations: counts.registration ?? 0,
      waitlist_entries: counts.waitlist_entry ?? 0,
    },
    pages: `${publicUrl}/`,
    mails: `${publicUrl}/mails`,
    sign_ins: demoPeople.map(({ email, role }) => ({ email, role, password: demoPassword })),
    api,
    guide: `${publicUrl}/docs/guide`,
    docs: `${publicUrl}/docs`,
    openapi: `${publicUrl}/openapi.json`,
    health: `${publicUrl}/healthz`,
    organization: { id: organization.id, name: organization.name },
    access_key: organization.accessKey,
    access_key_works: isAccessKeyValid,
    member: {
      idp_id: member.idpId,
      uuid: sampleUuid(member.id),
      name: `${member.firstName} ${member.lastName}`,
    },
    webhook_receiver: receiverUrl,
    webhook: { url: webhook?.url ?? null, enabled: webhook?.enabled ?? false },
    curl: commands(api, isAccessKeyValid ? organization.accessKey : null),
  };
}

/** Shows errors but no progress, and ends its output with a line break. */
const CURL = "curl -sS -w '\\n'";

interface Command {
  readonly about: string;
  readonly command: string;
}

/**
 * Commands for a shell, to run in this order: the first one stores the token for the others. If the access key was
 * replaced (null), a command comes before them in which the visitor fills in the new key.
 */
function commands(api: string, accessKey: string | null): readonly Command[] {
  const { organization, member } = sampleFacts;
  const own = `${api}/organizations/${organization.id}`;
  const bearer = `-H "Authorization: Bearer $TOKEN"`;
  const replaced = {
    about: 'The access key was replaced. Enter the new one here',
    command: "ACCESS_KEY='your new access key, 24 digits'",
  };
  const body = `{"access_key":"${accessKey ?? `'"$ACCESS_KEY"'`}"}`;
  return [
    ...(accessKey === null ? [replaced] : []),
    {
      about: 'Exchange the access key for a token, valid for one day',
      command: `TOKEN=$(curl -sS -f ${api}/authenticate -H 'Content-Type: application/json' -d '${body}' | sed -n 's/.*"token":"\\([^"]*\\)".*/\\1/p')`,
    },
    {
      about: "A member's upcoming meetings",
      command: `${CURL} "${own}/members/${member.idpId}/upcoming_meetings?items=3" ${bearer}`,
    },
    {
      about: "Today's meetings, with the columns of your choice",
      command: `${CURL} -g "${own}/export_meetings?column[]=name&column[]=start_time&column[]=status&reporting_days=today" ${bearer}`,
    },
    {
      about: 'Invite someone. Open the invitation_url in a browser and accept: the receiver reports it below',
      command: `${CURL} ${own}/invite_user ${bearer} -d "email=ada.$(date +%s)@example.test" -d first_name=Ada -d last_name=Lovelace`,
    },
    {
      about: 'A link that signs the member in once, within five minutes',
      command: `${CURL} -X POST ${own}/users/${sampleUuid(member.id)}/generate_otl_url ${bearer}`,
    },
  ];
}

function webhookText({ webhook, webhook_receiver: own }: Guide): string {
  if (webhook.enabled && webhook.url === own)
    return `${own} (the demo’s receiver, which verifies requests and reports them here)`;
  const now = webhook.enabled ? `${webhook.url} (changed)` : 'no one (disabled)';
  return `${now}; the demo’s receiver is ${own}`;
}

const START_AGAIN = 'npm run demo -- --fresh';

/** What the pages show to each role. */
const visiblePages = {
  owner: 'the access key, people, and everything that the admin sees',
  admin: 'the webhook, invitations, and all meetings',
  member: 'her own meetings',
} as const;

/** The guide as an aligned list for people. */
export function guideLines(guide: Guide): readonly string[] {
  const sample = Object.entries(guide.sample).map(
    ([what, count]) => `${count.toLocaleString('en')} ${what.replace('_', ' ')}`,
  );
  const entries: readonly (readonly [string, string])[] = [
    ['Database', guide.database],
    ['Sample data', sample.join(', ')],
    ['Pages', guide.pages],
    ...guide.sign_ins.map(({ email, role }, index): readonly [string, string] => [
      index === 0 ? 'Sign in as' : '',
      `${email.padEnd(24)}${role}: ${visiblePages[role]}`,
    ]),
    ['Password', `${demoPassword} (for all three)`],
    ['Emails', `${guide.mails} (the demo sends none)`],
    ['API', guide.api],
    ['Guide', guide.guide],
    ['Docs to try', guide.docs],
    ['API document', guide.openapi],
    ['Health', guide.health],
    ['Organization', `${guide.organization.id} (${guide.organization.name})`],
    [
      'Access key',
      guide.access_key +
        (guide.access_key_works ? '' : ` (replaced and no longer valid; to restore it: ${START_AGAIN})`),
    ],
    ['Member', `${guide.member.idp_id} (${guide.member.name}, user ${guide.member.uuid})`],
    ['Webhook to', webhookText(guide)],
  ];
  const width = Math.max(...entries.map(([label]) => label.length));
  return [
    styled('bold', 'Rollcall demo'),
    '',
    ...entries.map(([label, text]) => `  ${styled('cyan', label.padEnd(width))}  ${text}`),
    '',
    styled('bold', 'Try it in another terminal'),
    ...guide.curl.flatMap(({ about, command }) => ['', styled('dim', `  # ${about}`), `  ${command}`]),
    '',
    `Press Ctrl+C to stop. Your changes are kept; to start again with new data: ${START_AGAIN}`,
  ];
}
