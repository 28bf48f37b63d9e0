import type { Invitations } from '../../../users/ports/invitations.js';
import { testUuid } from '../../dataset.js';
import { idOf } from '../../new-invitation.js';
import { later } from '../../noon.js';

export const everything = { organizationId: 1, offset: 0, limit: 100 };

/** The number of the invitation with this id. */
export function numberOf({ id }: { readonly id: string }): number {
  return Number(id.slice(-4)) - 1000;
}

type Renewal = Parameters<Invitations['renew']>[0];

export function renewal(number: number, fresh: number, changes: Partial<Renewal['fresh']> = {}) {
  return {
    organizationId: 1,
    invitationId: idOf(number),
    retiredUuid: testUuid(4000 + fresh),
    fresh: {
      id: idOf(fresh),
      keyId: 'next key',
      createdAt: later,
      invitedBy: { kind: 'user', userId: 1 },
      ...changes,
    },
  } satisfies Renewal;
}
