import { resealSecrets, type StoredUnderKey } from '@rollcall/sql/maintenance';
import type { CommandContext } from '../command-context.js';
import {
  findKeyDependents,
  type KeyDependents,
  type KeyState,
  keyStates,
  MAX_NAMED_ORGANIZATIONS,
} from '../keys.js';
import { print, printJson, say } from '../terminal.js';
import { withJsonNames } from './json-names.js';
import { table } from './table.js';
import { type JsonOptions, withCore } from './with-core.js';

/** What is stored under a key, in the order of the columns: the title, and what to do about it. */
const kinds = {
  webhookSecrets: ['Webhook secrets', 'to move its webhook secrets, run "rollcall keys --reseal".'],
  signOnSecrets: ['Sign-on secrets', 'to move its sign-on secrets, run "rollcall keys --reseal".'],
  codeSecrets: ['App secrets', 'to move its app secrets, run "rollcall keys --reseal".'],
  recoveryCodes: [
    'Recovery codes',
    'recovery codes use it until their user makes new ones; no command can move them.',
  ],
  accessKeys: [
    'Access keys',
    'access keys move when they are next used or replaced; no command can move them.',
  ],
  invitations: [
    'Invitations',
    'pending invitations use it; renew or revoke them, or wait until they are accepted.',
  ],
  calendarFeeds: ['Feeds', 'calendar feeds use it until their URL is replaced.'],
  directoryTokens: [
    'Directory tokens',
    'directory tokens use it until an owner replaces them on the Directory page.',
  ],
  loginLinks: ['Login links'],
  sessions: ['Sessions'],
} as const satisfies Readonly<Record<keyof StoredUnderKey, readonly [title: string, advice?: string]>>;

const kindNames = Object.keys(kinds) as (keyof StoredUnderKey)[];

/**
 * Lists which secret key each stored secret needs. With `reseal`, moves the secrets of webhooks, sign-on and
 * authenticator apps to the current key first.
 */
export async function keysCommand({
  reseal = false,
  json = false,
}: JsonOptions & { readonly reseal?: boolean }): Promise<void> {
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
      const left = resealed?.left.map(({ reason, ...owner }) => ({ ...withJsonNames(owner), reason }));
      printJson({
        keys: keys.map(toJson),
        ...(resealed !== null && { resealed: { ...withJsonNames(resealed.moved), left } }),
      });
      return;
    }
    const head = ['Key', 'Role', ...kindNames.map((kind) => kinds[kind][0]), 'Tokens until'];
    for (const line of table(head, states.map(cellsOf))) print(line);
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
  const until = role === 'current' ? '' : (tokensUntil?.toISOString() ?? 'unknown');
  return [keyId, role, ...kindNames.map((kind) => String(stored[kind])), until];
}

function advise({ keyId, role, stored, canBeDropped }: KeyState, { named, hasMore }: KeyDependents): void {
  if (role === 'current') return;
  if (canBeDropped) say(`${keyId}: nothing needs this key; remove it from SECRET_KEY_PREVIOUS.`);
  if (role === 'missing') say(`${keyId}: this key is not configured; add it to SECRET_KEY_PREVIOUS.`);
  for (const kind of kindNames) {
    const [, advice] = kinds[kind];
    if (stored[kind] > 0 && advice !== undefined) say(`${keyId}: ${advice}`);
  }
  if (named.length === 0) return;
  const organizations = named.map(({ id, name }) => `${id} ${name}`).join(', ');
  say(`${keyId}: needed by ${organizations}${hasMore ? ' and more' : ''}`);
}

function toJson({ state, dependents }: { readonly state: KeyState; readonly dependents: KeyDependents }) {
  const { keyId, role, stored, tokensUntil, canBeDropped } = state;
  return {
    key: keyId,
    role,
    ...withJsonNames(stored),
    tokens_until: tokensUntil,
    can_be_dropped: canBeDropped,
    organizations: dependents.named.map(withJsonNames),
    more_organizations: dependents.hasMore,
  };
}
