import { type Actor, type AuditAction, createCore, type Secret } from '@rollcall/core';
import { anOrganization, aUser, memoryPorts } from '@rollcall/core/testing';

export const owner: Actor = { who: { kind: 'user', userId: 1 }, from: '192.0.2.7' };
export const client: Actor = { who: { kind: 'access-key' }, from: '2001:db8::1' };
export const operator: Actor = { who: { kind: 'command-line' }, from: null };
export const links = {
  invitation: () => '',
  login: (token: Secret) => `login:${token.reveal()}`,
  defaultAvatar: '',
};

/** A core in memory whose user 1 owns organization 1; `actions` lists the audit trail, newest first. */
export async function startAudited() {
  const { ports, clock, load } = memoryPorts();
  await load({
    organizations: [anOrganization(1), anOrganization(2)],
    users: [aUser(1)],
    memberships: [{ organizationId: 1, userId: 1, role: 'owner', idpId: null }],
  });
  const core = createCore(ports, { links });
  const actions = async (
    id = 1,
  ): Promise<readonly (readonly [AuditAction, string | null, Actor, string | undefined])[]> => {
    const { items } = await core.listActivity({ organization: { id } });
    return items.map(({ action, subject, actor, user }) => [action, subject, actor, user?.email]);
  };
  return { core, ports, clock, actions };
}

/** Like `startAudited`, with an access key of organization 1. */
export async function startAuditedWithKey() {
  const service = await startAudited();
  const { accessKey } = await service.core.generateAccessKey({ organizationId: 1 });
  return { ...service, accessKey: accessKey.reveal() };
}

/** Counts the calls of `touchAccessKey` from now on. */
export function countTouches(organizations: { touchAccessKey: (use: never) => Promise<void> }): () => number {
  let count = 0;
  const { touchAccessKey } = organizations;
  organizations.touchAccessKey = (use) => {
    count += 1;
    return touchAccessKey(use);
  };
  return () => count;
}
