import { Refusal, refusal } from '../../errors.js';
import type { NotChanged } from '../ports/members.js';

export function notChanged(why: NotChanged): Refusal {
  if (why === 'last-owner')
    return new Refusal('last-owner', 'This is the last owner. Make someone else an owner first');
  return memberNotFound();
}

export const memberNotFound = refusal('member-not-found', 'There is no such member');
