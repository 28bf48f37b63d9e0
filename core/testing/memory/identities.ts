import type { Identities, Identity, IdentityKey } from '../../users/ports/identities.js';
import type { MemberKey } from '../../users/ports/members.js';
import { writeJournal } from './journal.js';
import { isSameMember } from './memberships.js';
import { isStartedBy } from './new-session.js';
import { deleteWhere, membershipOf, type State } from './state.js';

export function memoryIdentities(state: State): Identities {
  return {
    async bySubject(key) {
      return state.identities.get(keyOf(key)) ?? null;
    },
    async of(member) {
      return identityOf(state, member);
    },
    async link(fresh, journal) {
      const { organizationId, issuer } = fresh;
      const signOn = state.signOns.get(organizationId);
      if (signOn === undefined || !signOn.isOn || signOn.issuer !== issuer) return 'sign-on-off';
      if (membershipOf(state, fresh) === undefined) return 'not-a-member';
      const stored = state.identities.get(keyOf(fresh));
      if (stored !== undefined) return isSameMember(stored, fresh) ? stored : 'subject-linked';
      if (identityOf(state, fresh) !== null) return 'member-linked';
      const identity = { ...fresh, usedAt: fresh.linkedAt };
      writeJournal(state, journal?.(identity), () => state.identities.set(keyOf(fresh), identity));
      return identity;
    },
    async touch({ at, ...key }) {
      const identity = state.identities.get(keyOf(key));
      if (identity !== undefined && identity.usedAt < at)
        state.identities.set(keyOf(key), { ...identity, usedAt: at });
    },
    async unlink(member, journal) {
      const identity = identityOf(state, member);
      if (identity === null) return false;
      writeJournal(state, journal?.(identity), () => {
        state.identities.delete(keyOf(identity));
        const isSignedOn = isStartedBy('sign-on', member.organizationId);
        deleteWhere(state.sessions, (one) => isSignedOn(one) && one.userId === member.userId);
      });
      return true;
    },
  };
}

function keyOf({ organizationId, issuer, subject }: IdentityKey): string {
  return JSON.stringify([organizationId, issuer, subject]);
}

export function identityOf(state: State, member: MemberKey): Identity | null {
  return [...state.identities.values()].find((identity) => isSameMember(identity, member)) ?? null;
}

export function endIdentities(state: State, ends: (identity: Identity) => boolean): void {
  deleteWhere(state.identities, ends);
}
