import type { MemberKey } from '../../users/ports/members.js';
import type { SignOn, SignOns } from '../../users/ports/sign-ons.js';
import { endIdentities, identityOf } from './identities.js';
import { writeJournal } from './journal.js';
import { isStartedBy } from './new-session.js';
import { deleteWhere, membershipOf, type State } from './state.js';

export function memorySignOns(state: State): SignOns {
  return {
    async of(organizationId) {
      return state.signOns.get(organizationId) ?? null;
    },
    async save(organizationId, decide, journal) {
      const current = state.signOns.get(organizationId) ?? null;
      const settings = decide(current);
      if (!state.organizations.has(organizationId)) return null;
      const signOn: SignOn = { organizationId, ...settings };
      writeJournal(state, journal?.(signOn), () => {
        state.signOns.set(organizationId, signOn);
        const isOther = current !== null && current.issuer !== signOn.issuer;
        if (isOther || !signOn.isOn) endSignedOn(state, organizationId);
        if (isOther) endIdentities(state, (identity) => identity.organizationId === organizationId);
      });
      return signOn;
    },
    async remove(organizationId, journal) {
      const current = state.signOns.get(organizationId);
      if (current === undefined) return false;
      writeJournal(state, journal?.(current), () => {
        state.signOns.delete(organizationId);
        endSignedOn(state, organizationId);
        endIdentities(state, (identity) => identity.organizationId === organizationId);
      });
      return true;
    },
    async opens(member) {
      const membership = membershipOf(state, member);
      if (membership === undefined) return 'any';
      const signOn = state.signOns.get(member.organizationId);
      return membership.needsSignOn || (signOn?.isOn && signOn.isRequired) ? 'sign-on' : 'any';
    },
  };
}

/** Whether sign-on can start a session of the member. */
export function canSignOn(state: State, member: MemberKey): boolean {
  const signOn = state.signOns.get(member.organizationId);
  return signOn?.isOn === true && identityOf(state, member)?.issuer === signOn.issuer;
}

function endSignedOn(state: State, organizationId: number): void {
  deleteWhere(state.sessions, isStartedBy('sign-on', organizationId));
}
