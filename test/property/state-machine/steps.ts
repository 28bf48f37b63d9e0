import fc from 'fast-check';
import { accessSteps } from './access.js';
import { eitherOrganization } from './choices.js';
import type { Step } from './command.js';
import { deliverySteps, listAllDeliveries } from './deliveries.js';
import { exportSteps } from './export.js';
import { feedSteps } from './feeds.js';
import {
  acceptInvitation,
  deliver,
  endpointChanges,
  happenings,
  redeemLink,
  registerPerson,
} from './happenings.js';
import { invitationSteps, inviteUser, renewInvitation, revokeInvitation } from './invitations.js';
import { meetingSteps } from './meetings.js';
import { outsideSteps } from './outside.js';
import { issueLoginLink, removeUser, userSteps } from './users.js';
import { enableWebhook, webhookSteps } from './webhook.js';

/** Every kind of step, by the chapter it belongs to, and how often a step is of the chapter. */
const chapters: readonly { readonly weight: number; readonly steps: readonly fc.Arbitrary<Step>[] }[] = [
  { weight: 6, steps: accessSteps },
  { weight: 14, steps: invitationSteps },
  { weight: 12, steps: userSteps },
  { weight: 7, steps: meetingSteps },
  { weight: 7, steps: exportSteps },
  { weight: 9, steps: webhookSteps },
  { weight: 12, steps: deliverySteps },
  { weight: 9, steps: feedSteps },
  { weight: 1, steps: outsideSteps },
  { weight: 20, steps: happenings },
];

/** Several steps that lead to a state from which much can happen, such as a delivery. Shrinks to fewer of them. */
const several: fc.Arbitrary<Step> = eitherOrganization
  .chain((index) => {
    const one = fc.constant(index);
    return fc.tuple(
      fc.tuple(
        enableWebhook(one),
        endpointChanges(one),
        registerPerson(one),
        deliver,
        listAllDeliveries(one),
      ),
      fc.tuple(inviteUser(one), revokeInvitation(one), renewInvitation(one), acceptInvitation(one)),
      fc.tuple(issueLoginLink(one), redeemLink, removeUser(one), redeemLink),
    );
  })
  .chain(([event, invitation, link]) =>
    fc.oneof(
      { weight: 2, arbitrary: fc.subarray<Step>(event, { minLength: 2 }) },
      { weight: 2, arbitrary: fc.subarray<Step>(invitation, { minLength: 2 }) },
      { weight: 1, arbitrary: fc.subarray<Step>(link, { minLength: 2 }) },
    ),
  )
  .map((steps) => ({
    check: () => true,
    run: async (world, real) => {
      for (const one of steps) if (one.check(world)) await one.run(world, real);
    },
    toString: () => steps.map(String).join(', '),
  }));

const everyStep: readonly fc.Arbitrary<Step>[] = chapters.flatMap(({ steps }) => steps);

export const step: fc.Arbitrary<Step> = fc.oneof(
  ...chapters.map(({ weight, steps }) => ({ weight, arbitrary: fc.oneof(...steps) })),
  { weight: 12, arbitrary: several },
);

/** The names of the operations that have a step. */
export function operationsWithSteps(): ReadonlySet<string> {
  return new Set(everyStep.flatMap((kind) => fc.sample(kind, { numRuns: 1, seed: 1 }).map(String)));
}
