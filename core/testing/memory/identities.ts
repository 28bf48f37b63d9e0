import type { Identities, Identity, IdentityKey } from '../../users/ports/identities.js';
import type { MemberKey } from '../../users/ports/members.js';
import { writeJournal } from './journal.js';
import { isSameMember } from './memberships.js';
import type { State } from './state.js';

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
      if (!state.memberships.some((stored) => isSameMember(stored, fresh))) return 'not-a-member';
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
        for (const [hash, session] of state.sessions)
          if (
            session.startedBy === 'sign-on' &&
            session.boundTo === member.organizationId &&
            session.userId === member.userId
          )
            state.sessions.delete(hash);
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
  for (const [key, identity] of state.identities) if (ends(identity)) state.identities.delete(key);
}
