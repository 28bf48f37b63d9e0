import { resealWebhookSecrets } from '#adapters/sql/index.js';
import type { CommandContext } from '../command-context.js';
import { type KeyState, keyStates, MAX_NAMED_ORGANIZATIONS, type Needing, needing } from '../keys.js';
import { print, printJson, say } from '../terminal.js';
import { table } from './table.js';
import { withCore } from './with-core.js';

/** Which secret key each stored secret needs; moves webhook secrets to the current one where asked to. */
export async function keysCommand({
  reseal = false,
  json = false,
}: {
  readonly reseal?: boolean;
  readonly json?: boolean;
}): Promise<void> {
  await withCore(async (context) => {
    const { secretKeyStore, keyring, clock } = context;
    const resealed = reseal ? await resealAll(context) : null;
    const states = await keyStates({ secretKeyStore, keyring, now: clock.now() });
    const keys = await Promise.all(
      states.map(async (state) => ({
        state,
        needing: state.role === 'current' ? none : await needing(secretKeyStore, state.keyId),
      })),
    );
    if (json) {
      const left = resealed?.left.map(({ organizationId, reason }) => ({
        organization_id: organizationId,
        reason,
      }));
      printJson({
        keys: keys.map(shown),
        ...(resealed !== null && { resealed: { webhook_secrets: resealed.moved, left } }),
      });
      return;
    }
    for (const line of table(
      [
        'Key',
        'Role',
        'Webhook secrets',
        'Access keys',
        'Invitations',
        'Feeds',
        'Login links',
        'Sessions',
        'Tokens until',
      ],
      states.map(cellsOf),
    ))
      print(line);
    if (resealed !== null) {
      say(`Sealed again with the current key: ${resealed.moved}. Left as they are: ${resealed.left.length}.`);
      for (const { organizationId, reason } of resealed.left.slice(0, MAX_NAMED_ORGANIZATIONS))
        say(`  organization ${organizationId}: ${reason}`);
    }
    for (const { state, needing } of keys) advise(state, needing);
  });
}

const none: Needing = { named: [], hasMore: false };

async function resealAll({ database, ports }: CommandContext) {
  const { keyId, decrypt, encrypt } = ports.secrets;
  return resealWebhookSecrets(database, { currentKeyId: keyId, decrypt, encrypt });
}

function cellsOf({ keyId, role, stored, tokensUntil }: KeyState): readonly string[] {
  const { webhookSecrets, accessKeys, invitations, calendarFeeds, loginLinks, sessions } = stored;
  const counts = [webhookSecrets, accessKeys, invitations, calendarFeeds, loginLinks, sessions];
  const until = role === 'current' ? '' : (tokensUntil?.toISOString() ?? 'unknown');
  return [keyId, role, ...counts.map(String), until];
}

function advise({ keyId, role, stored, canBeDropped }: KeyState, { named, hasMore }: Needing): void {
  if (role === 'current') return;
  if (canBeDropped) say(`Nothing needs ${keyId}: leave it out of SECRET_KEY_PREVIOUS.`);
  if (role === 'missing') say(`${keyId} is not configured: add it to SECRET_KEY_PREVIOUS.`);
  if (stored.webhookSecrets > 0) say(`${keyId}: "rollcall keys --reseal" moves its webhook secrets.`);
  if (stored.accessKeys > 0)
    say(`${keyId}: an access key moves when it is used, or is replaced; no command knows it.`);
  if (stored.invitations > 0)
    say(`${keyId}: the URL of a pending invitation holds it; renew the invitation, or wait.`);
  if (stored.calendarFeeds > 0)
    say(`${keyId}: the address of a calendar feed holds it until it is replaced.`);
  if (named.length === 0) return;
  const organizations = named.map(({ id, name }) => `${id} ${name}`).join(', ');
  say(`${keyId} is needed by: ${organizations}${hasMore ? ' and more' : ''}`);
}

function shown({ state, needing }: { readonly state: KeyState; readonly needing: Needing }) {
  const { keyId, role, stored, tokensUntil, canBeDropped } = state;
  return {
    key: keyId,
    role,
    webhook_secrets: stored.webhookSecrets,
    access_keys: stored.accessKeys,
    invitations: stored.invitations,
    calendar_feeds: stored.calendarFeeds,
    login_links: stored.loginLinks,
    sessions: stored.sessions,
    tokens_until: tokensUntil,
    can_be_dropped: canBeDropped,
    organizations: needing.named.map(
      ({ id, name, webhookSecret, accessKey, invitations, calendarFeeds }) => ({
        id,
        name,
        webhook_secret: webhookSecret,
        access_key: accessKey,
        invitations,
        calendar_feeds: calendarFeeds,
      }),
    ),
    more_organizations: needing.hasMore,
  };
}
