import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import {
  createCore,
  type Mailer,
  type PasskeyAnswer,
  type PasskeyVerifier,
  SecondStepRequired,
  Secret,
  type SecurityEvent,
} from '@rollcall/core';
import { anOrganization, aUser, memoryPorts } from '@rollcall/core/testing';

export const address = '192.0.2.9';
export const password = new Secret('correct horse');

/** Answers are JSON: `id`, `challenge` and `counter`. An answer to another challenge proves nothing. */
export function scriptedVerifier(): PasskeyVerifier {
  let made = 0;
  const read = (response: string): { id?: string; challenge?: string; counter?: number } =>
    JSON.parse(response);
  return {
    options({ to, passkeys }) {
      made += 1;
      const challenge = `challenge-${made}`;
      return { challenge, publicKey: { to, challenge, passkeys: passkeys.map((one) => one.credentialId) } };
    },
    credentialIdOf: (response) => read(response).id ?? null,
    async register({ challenge, response }) {
      const { id = '', ...answer } = read(response);
      if (answer.challenge !== challenge) return null;
      return {
        credentialId: id,
        publicKey: `key of ${id}`,
        counter: 1,
        transports: ['usb'],
        isBackedUp: false,
      };
    },
    async verify({ challenge, response }) {
      const { counter = 0, ...answer } = read(response);
      return answer.challenge === challenge ? { counter, isBackedUp: false } : null;
    },
  };
}

/** User 1 owns organization 1, user 2 is its admin, and user 3 its member. All have a password. */
export async function startSecondFactor() {
  const security: SecurityEvent[] = [];
  const mailer: Mailer = { send: async () => ({ outcome: 'sent' }) };
  const { ports, clock, load } = memoryPorts({
    ...{ passkeyVerifier: scriptedVerifier(), mailer, ids: { uuid: randomUUID } },
    securityLog: { record: (event: SecurityEvent) => security.push(event) },
  });
  await load({
    organizations: [anOrganization(1)],
    users: [1, 2, 3].map((id) => aUser(id)),
    memberships: (['owner', 'admin', 'member'] as const).map((role, index) => ({
      ...{ organizationId: 1, userId: index + 1, role, idpId: null },
    })),
  });
  for (const userId of [1, 2, 3])
    await ports.users.setPasswordHash({ userId, hash: await ports.passwords.hash(password) });
  const link = () => 'https://rollcall.test/';
  const core = createCore(ports, { links: { invitation: link, login: link, defaultAvatar: '' } });

  /** The code of the app so many steps from now. */
  const code = (steps = 0): string => String(Math.floor(clock.now().getTime() / 30_000) + steps).slice(-6);
  const signIn = async (userId = 1): Promise<string> => {
    const { session } = await core.signIn({ email: aUser(userId).email, password, address });
    return session.reveal();
  };
  return {
    ...{ core, ports, clock, security, code, signIn },
    /** Signs in a user who has a second factor, as far as the second step. */
    async pending(userId = 1) {
      const error = await signIn(userId).then(
        () => new Error('No second step was asked for'),
        (reason: unknown) => reason,
      );
      if (!(error instanceof SecondStepRequired)) throw error;
      return error.pending;
    },
    /** Sets codes up, and returns the session and the recovery codes. */
    async withCodes(userId = 1) {
      const session = await signIn(userId);
      await core.beginCodes({ session });
      const { recoveryCodes } = await core.confirmCodes({ session, code: code(), address });
      return { session, recoveryCodes: (recoveryCodes ?? []).map((one) => one.reveal()) };
    },
    async addPasskey(session: string, id: string) {
      const asked = await core.beginPasskey({ session });
      if (asked === null) throw new Error('No passkey was asked for');
      return core.addPasskey({ session, answer: answerTo(asked, { id }), name: `Key ${id}`, address });
    },
  };
}

/** What a browser answers. */
export function answerTo(
  { challenge }: Pick<PasskeyAnswer, 'challenge'>,
  fields: { readonly id: string; readonly counter?: number; readonly challenge?: string },
): PasskeyAnswer {
  return { challenge, response: JSON.stringify({ challenge: challenge.challenge, ...fields }) };
}

export function secondFactorTest(
  name: string,
  work: (service: Awaited<ReturnType<typeof startSecondFactor>>) => Promise<void>,
): void {
  test(name, async () => work(await startSecondFactor()));
}
