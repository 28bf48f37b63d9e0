import { checkAccess } from './checks/access.js';
import { checkDeliveries } from './checks/deliveries.js';
import { checkErasures } from './checks/erasures.js';
import { checkFeed } from './checks/feed.js';
import { checkInvitations } from './checks/invitations.js';
import { checkMemberships } from './checks/memberships.js';
import { checkRegisters } from './checks/sequential.js';
import { checkSessions } from './checks/sessions.js';
import { checkSignatures } from './checks/signatures.js';
import { checkHealth } from './checks/webhook-failures.js';
import type { Final } from './final.js';
import { completed, type History, type Send, type Signatures } from './history.js';

/** Everything that the checks know. They know nothing of the product: only what clients and receivers saw. */
export interface Evidence {
  /** How far the clock of each instance is ahead, in milliseconds. */
  readonly clocks: readonly number[];
  readonly history: History;
  readonly finals: readonly Final[];
  /** Everything that is stored in the end. */
  readonly storedText: string;
  signaturesOf(send: Send): Signatures;
  /** Whether everything came to an end in time. */
  readonly isSettled: boolean;
}

/** Which promises a run broke, in words; empty if it kept them all. */
export function check(given: Evidence): readonly string[] {
  const history = completed(given.history);
  const signatures = new Map<Send, Signatures>();
  const signaturesOf = (send: Send): Signatures => {
    const known = signatures.get(send) ?? given.signaturesOf(send);
    signatures.set(send, known);
    return known;
  };
  const evidence = { ...given, history, signaturesOf };
  const { isSettled } = given;
  return [
    ...history.bugs.map((bug) => `an unexpected error: ${bug}`),
    ...(isSettled ? [] : ['something never came to an end']),
    ...checkMemberships(evidence),
    ...checkInvitations(evidence),
    ...checkAccess(evidence),
    ...checkSessions(evidence),
    ...checkFeed(evidence),
    ...checkDeliveries(evidence),
    ...checkSignatures(evidence),
    ...checkHealth(evidence),
    ...checkErasures(evidence),
    ...checkRegisters(evidence),
  ];
}
