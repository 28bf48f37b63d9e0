import { resealSecrets } from '@rollcall/sql/maintenance';
import type { CommandContext } from '../command-context.js';
import {
  findKeyDependents,
  type KeyDependents,
  type KeyState,
  keyStates,
  MAX_NAMED_ORGANIZATIONS,
} from '../keys.js';
import { print, printJson, say } from '../terminal.js';
import { table } from './table.js';
import { withCore } from './with-core.js';

/**
 * Lists which secret key each stored secret needs. With `reseal`, moves the secrets of webhooks, sign-on and
 * authenticator apps to the current key first.
 */
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
    const now = clock.now();
    const states = await keyStates({ secretKeyStore, keyring, now });
    const keys = await Promise.all(
      states.map(async (state) => ({
        state,
        dependents:
          state.role === 'current'
            ? none
            : await findKeyDependents(secretKeyStore, { keyId: state.keyId, now }),
      })),
    );
    if (json) {
      const left = resealed?.left.map(({ reason, ...owner }) => ({
        ...('userId' in owner ? { user_id: owner.userId } : { organization_id: owner.organizationId }),
        reason,
      }));
      printJson({
        keys: keys.map(toJson),
        ...(resealed !== null && {
          resealed: {
            webhook_secrets: resealed.moved.webhookSecrets,
            sign_on_secrets: resealed.moved.signOnSecrets,
            code_secrets: resealed.moved.codeSecrets,
            left,
          },
        }),
      });
      return;
    }
    for (const line of table(
      [
        'Key',
        'Role',
        'Webhook secrets',
        'Sign-on secrets',
        'App secrets',
        'Recovery codes',
        'Access keys',
        'Invitations',
        'Feeds',
        'Directory tokens',
        'Login links',
        'Sessions',
        'Tokens until',
      ],
      states.map(cellsOf),
    ))
      print(line);
    if (resealed !== null) {
      const { webhookSecrets, signOnSecrets, codeSecrets } = resealed.moved;
      say(
        `Moved to the current key: webhook secrets ${webhookSecrets}, sign-on secrets ${signOnSecrets}, app secrets ${codeSecrets}. Not moved: ${resealed.left.length}.`,
      );
      for (const { reason, ...owner } of resealed.left.slice(0, MAX_NAMED_ORGANIZATIONS))
        say(
          `  ${'userId' in owner ? `user ${owner.userId}` : `organization ${owner.organizationId}`}: ${reason}`,
        );
    }
    for (const { state, dependents } of keys) advise(state, dependents);
  });
}

const none: KeyDependents = { named: [], hasMore: false };

async function resealAll({ database, ports }: CommandContext) {
  const { keyId, decrypt, encrypt } = ports.secrets;
  return resealSecrets(database, { currentKeyId: keyId, decrypt, encrypt });
}

function cellsOf({ keyId, role, stored, tokensUntil }: KeyState): readonly string[] {
  const { webhookSecrets, signOnSecrets, accessKeys, invitations, calendarFeeds } = stored;
  const { codeSecrets, recoveryCodes, directoryTokens, loginLinks, sessions } = stored;
  const counts = [
    ...[webhookSecrets, signOnSecrets, codeSecrets, recoveryCodes, accessKeys, invitations, calendarFeeds],
    ...[directoryTokens, loginLinks, sessions],
  ];
  const until = role === 'current' ? '' : (tokensUntil?.toISOString() ?? 'unknown');
  return [keyId, role, ...counts.map(String), until];
}

function advise({ keyId, role, stored, canBeDropped }: KeyState, { named, hasMore }: KeyDependents): void {
  if (role === 'current') return;
  if (canBeDropped) say(`${keyId}: nothing needs this key; remove it from SECRET_KEY_PREVIOUS.`);
  if (role === 'missing') say(`${keyId}: this key is not configured; add it to SECRET_KEY_PREVIOUS.`);
  if (stored.webhookSecrets > 0) say(`${keyId}: to move its webhook secrets, run "rollcall keys --reseal".`);
  if (stored.signOnSecrets > 0) say(`${keyId}: to move its sign-on secrets, run "rollcall keys --reseal".`);
  if (stored.codeSecrets > 0) say(`${keyId}: to move its app secrets, run "rollcall keys --reseal".`);
  if (stored.recoveryCodes > 0)
    say(`${keyId}: recovery codes use it until their user makes new ones; no command can move them.`);
  if (stored.accessKeys > 0)
    say(`${keyId}: access keys move when they are next used or replaced; no command can move them.`);
  if (stored.invitations > 0)
    say(`${keyId}: pending invitations use it; renew or revoke them, or wait until they are accepted.`);
  if (stored.calendarFeeds > 0) say(`${keyId}: calendar feeds use it until their URL is replaced.`);
  if (stored.directoryTokens > 0)
    say(`${keyId}: directory tokens use it until an owner replaces them on the Directory page.`);
  if (named.length === 0) return;
  const organizations = named.map(({ id, name }) => `${id} ${name}`).join(', ');
  say(`${keyId}: needed by ${organizations}${hasMore ? ' and more' : ''}`);
}

function toJson({ state, dependents }: { readonly state: KeyState; readonly dependents: KeyDependents }) {
  const { keyId, role, stored, tokensUntil, canBeDropped } = state;
  return {
    key: keyId,
    role,
    webhook_secrets: stored.webhookSecrets,
    sign_on_secrets: stored.signOnSecrets,
    code_secrets: stored.codeSecrets,
    recovery_codes: stored.recoveryCodes,
    access_keys: stored.accessKeys,
    invitations: stored.invitations,
    calendar_feeds: stored.calendarFeeds,
    directory_tokens: stored.directoryTokens,
    login_links: stored.loginLinks,
    sessions: stored.sessions,
    tokens_until: tokensUntil,
    can_be_dropped: canBeDropped,
    organizations: dependents.named.map(
      ({ id, name, webhookSecret, signOnSecret, accessKey, invitations, calendarFeeds, directoryToken }) => ({
        id,
        name,
        webhook_secret: webhookSecret,
        sign_on_secret: signOnSecret,
        access_key: accessKey,
        invitations,
        calendar_feeds: calendarFeeds,
        directory_token: directoryToken,
      }),
    ),
    more_organizations: dependents.hasMore,
  };
}
