import fc from 'fast-check';
import { accessSteps } from './access.js';
import { chosen, eitherOrganization } from './choices.js';
import type { Step } from './command.js';
import { deliverySteps, listAllDeliveries } from './deliveries.js';
import { exportSteps } from './export.js';
import { feedSteps, readAllEvents } from './feeds.js';
import {
  acceptInvitation,
  deliver,
  endpointChanges,
  happenings,
  redeemLink,
  registerPerson,
} from './happenings.js';
import { invitationSteps, inviteUser, renewInvitation, revokeInvitation } from './invitations.js';
import { firstPart, nextPart } from './lists.js';
import { meetingSteps } from './meetings.js';
import { outsideSteps } from './outside.js';
import { issueLoginLink, listAllUsers, removeUser, userSteps } from './users.js';
import { enableWebhook, switchWebhook, webhookSteps } from './webhook.js';

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
        switchWebhook(one),
        deliver,
        listAllDeliveries(one),
      ),
      fc.tuple(inviteUser(one), revokeInvitation(one), renewInvitation(one), acceptInvitation(one)),
      chosen.chain((number) => {
        const member = fc.constant(number);
        const newest = fc.constant(0);
        return fc.tuple(
          issueLoginLink(one, member),
          redeemLink(newest),
          removeUser(one, member),
          redeemLink(newest),
        );
      }),
      fc.tuple(listAllUsers(one, firstPart), listAllUsers(one, nextPart), listAllUsers(one, nextPart)),
      fc.tuple(
        registerPerson(one),
        registerPerson(one),
        readAllEvents(one, firstPart),
        readAllEvents(one, nextPart),
        readAllEvents(one, nextPart),
      ),
    );
  })
  .chain(([delivery, invitation, link, users, events]) =>
    fc.oneof(
      { weight: 4, arbitrary: fc.subarray<Step>(delivery, { minLength: 2 }) },
      { weight: 4, arbitrary: fc.subarray<Step>(invitation, { minLength: 2 }) },
      { weight: 3, arbitrary: fc.subarray<Step>(link, { minLength: 2 }) },
      { weight: 1, arbitrary: fc.subarray<Step>(users, { minLength: 2 }) },
      { weight: 2, arbitrary: fc.subarray<Step>(events, { minLength: 2 }) },
    ),
  )
  .map((steps) => ({
    check: () => true,
    run: async (model, real) => {
      for (const one of steps) if (one.check(model)) await one.run(model, real);
    },
    toString: () => steps.map(String).join(', '),
  }));

const everyStep: readonly fc.Arbitrary<Step>[] = chapters.flatMap(({ steps }) => steps);

export const step: fc.Arbitrary<Step> = fc.oneof(
  ...chapters.map(({ weight, steps }) => ({ weight, arbitrary: fc.oneof(...steps) })),
  { weight: 16, arbitrary: several },
);

/** The names of the operations that have a step. */
export function operationsWithSteps(): ReadonlySet<string> {
  return new Set(everyStep.flatMap((kind) => fc.sample(kind, { numRuns: 1, seed: 1 }).map(String)));
}
