import { type Core, type Organization, Refusal, Secret } from '@rollcall/core';

/** An organization whose token a service has accepted. */
export interface Authorized {
  readonly id: number;
}

/**
 * What clients ask of one instance. A method rejects with the core's `Refusal`, or with `Unavailable`. Tokens, sessions and
 * keys are texts.
 */
export interface Service {
  /** Whether `authorize` asks the instance. If not, the call that follows does. */
  readonly authorizesFirst: boolean;
  authorize(request: { readonly token: string; readonly org: number }): Promise<Authorized>;
  authenticate(accessKey: string): Promise<string>;
  invite(by: Authorized, person: Named): Promise<{ readonly uuid: string; readonly token: string }>;
  /** Returns the UUID. */
  register(request: Named & { readonly org: number }): Promise<string>;
  /** Returns the session. `person`: null if they say that they have an account. */
  accept(request: {
    readonly token: string;
    readonly person: Named | null;
    readonly password: string;
  }): Promise<string>;
  revoke(by: Authorized, uuid: string): Promise<void>;
  renew(by: Authorized, uuid: string): Promise<string>;
  remove(by: Authorized, uuid: string): Promise<void>;
  issueLink(by: Authorized, uuid: string): Promise<string>;
  /** Returns the session. */
  redeem(token: string): Promise<string>;
  /** Opens the member's page. */
  visit(request: { readonly session: string; readonly org: number }): Promise<void>;
  signIn(request: { readonly email: string; readonly password: string }): Promise<string>;
  signOut(session: string): Promise<void>;
  /** Returns the session that goes on. */
  changePassword(request: {
    readonly session: string;
    readonly from: string;
    readonly to: string;
  }): Promise<string>;
  erase(email: string): Promise<void>;
  replaceKey(request: { readonly org: number; readonly keepsOld: boolean }): Promise<string>;
  /** Returns the secret if it is new. */
  configure(
    by: Authorized,
    webhook: { readonly url: string; readonly enabled: boolean },
  ): Promise<string | null>;
  rotate(
    by: Authorized,
    request: { readonly overlap: boolean; readonly idempotencyKey: string | null },
  ): Promise<string | null>;
  finishRotation(by: Authorized): Promise<void>;
  readWebhook(by: Authorized): Promise<{ readonly url: string | null; readonly enabled: boolean }>;
  read(
    by: Authorized,
    page: { readonly after?: string | undefined; readonly order: 'asc' | 'desc'; readonly limit: number },
  ): Promise<{ readonly bodies: readonly string[]; readonly hasMore: boolean; readonly next: string }>;
  redeliver(
    by: Authorized,
    request: { readonly eventId: string; readonly idempotencyKey: string | null },
  ): Promise<void>;
  redeliverFailed(by: Authorized): Promise<number>;
  test(by: Authorized): Promise<{ readonly eventId: string; readonly state: string }>;
}

export interface Named {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
}

const address = '192.0.2.1';

/** The core itself. `deliveryIdOf` tells the number of an event's delivery. */
export function coreService(core: Core, deliveryIdOf: (eventId: string) => number): Service {
  const organization = (by: Authorized): Organization => by as Organization;
  return {
    authorizesFirst: true,
    authorize: ({ token, org }) => core.authorize({ token, organizationId: String(org) }),
    async authenticate(accessKey) {
      return (await core.authenticate({ accessKey, address })).token.reveal();
    },
    async invite(by, person) {
      const invited = await core.inviteUser({ organization: organization(by), ...person });
      return { uuid: invited.uuid, token: invited.invitationUrl };
    },
    async register({ org, ...person }) {
      return (await core.registerUser({ organizationId: org, ...person })).uuid;
    },
    async accept({ token, person, password }) {
      const secret = new Secret(password);
      const who =
        person === null
          ? ({ is: 'known', password: secret } as const)
          : ({
              is: 'new',
              firstName: person.firstName,
              lastName: person.lastName,
              password: secret,
            } as const);
      return (await core.acceptInvitation({ token, person: who, address })).session.reveal();
    },
    async revoke(by, uuid) {
      await core.revokeInvitation({ organization: organization(by), uuid });
    },
    async renew(by, uuid) {
      const { invitationUrl } = await core.renewInvitation({ organization: organization(by), uuid });
      return invitationUrl as string;
    },
    async remove(by, uuid) {
      await core.removeUser({ organization: organization(by), uuid });
    },
    async issueLink(by, uuid) {
      return (await core.issueLoginLink({ organization: organization(by), uuid })).url;
    },
    async redeem(token) {
      return (await core.redeemLoginLink({ token, address })).session.reveal();
    },
    async visit({ session, org }) {
      const resumed = await core.resumeSession({ session });
      if (resumed === null) throw new Refusal('sign-in-required', 'The session has ended');
      await core.authorizeMember({ session: resumed, organizationId: org, role: 'member' });
    },
    async signIn({ email, password }) {
      return (await core.signIn({ email, password: new Secret(password), address })).session.reveal();
    },
    async signOut(session) {
      await core.signOut({ session });
    },
    async changePassword({ session, from, to }) {
      const changed = await core.changePassword({
        session,
        currentPassword: new Secret(from),
        newPassword: new Secret(to),
        address,
      });
      return changed.session.reveal();
    },
    async erase(email) {
      await core.eraseUser({ email, force: true });
    },
    async replaceKey({ org, keepsOld }) {
      const { accessKey } = await core.generateAccessKey({
        organizationId: org,
        keepOldForHours: keepsOld ? 24 : 0,
      });
      return accessKey.reveal();
    },
    async configure(by, { url, enabled }) {
      const webhook = { url, enabled, events: ['user.registered'] };
      const { secret } = await core.configureWebhook({
        organization: organization(by),
        how: 'set',
        webhook,
      });
      return secret === null ? null : secret.reveal();
    },
    async rotate(by, { overlap, idempotencyKey }) {
      const request = {
        organization: organization(by),
        how: 'change',
        webhook: { enabled: true },
        regenerateSecret: '1',
        ...(overlap ? { overlapHours: 24 } : {}),
      } as const;
      if (idempotencyKey === null) {
        const { secret } = await core.configureWebhook(request);
        return secret === null ? null : secret.reveal();
      }
      const answer = await core.answerOnce({
        organization: organization(by),
        operation: 'configure-webhook',
        key: idempotencyKey,
        fingerprint: String(overlap),
        async work(keep) {
          const { secret } = await core.configureWebhook({
            ...request,
            keep: (view) => keep(view.secret === null ? '' : view.secret.reveal()),
          });
          return secret === null ? '' : secret.reveal();
        },
      });
      return answer === '' ? null : answer;
    },
    async finishRotation(by) {
      await core.finishRotation({ organization: organization(by) });
    },
    async readWebhook(by) {
      const webhook = await core.readWebhook({ organization: organization(by) });
      return { url: webhook?.url ?? null, enabled: webhook?.enabled ?? false };
    },
    async read(by, { after, order, limit }) {
      const { events, hasMore, next } = await core.readEvents({
        organization: organization(by),
        after,
        order,
        limit,
      });
      return { bodies: events.map(({ body }) => body), hasMore, next };
    },
    async redeliver(by, { eventId, idempotencyKey }) {
      const request = { organization: organization(by), deliveryId: deliveryIdOf(eventId) };
      if (idempotencyKey === null) {
        await core.redeliver(request);
        return;
      }
      await core.answerOnce({
        organization: organization(by),
        operation: 'redeliver',
        key: idempotencyKey,
        fingerprint: String(request.deliveryId),
        async work(keep) {
          await core.redeliver({ ...request, keep: () => keep('done') });
          return 'done';
        },
      });
    },
    redeliverFailed: (by) => core.redeliverFailed({ organization: organization(by), since: new Date(0) }),
    async test(by) {
      const { eventId, state } = await core.testWebhook({ organization: organization(by) });
      return { eventId, state };
    },
  };
}
