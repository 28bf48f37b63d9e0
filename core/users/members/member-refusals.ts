import { Refusal } from '../../errors.js';
import type { NotChanged } from '../ports/members.js';

export function notChanged(why: NotChanged): Refusal {
  if (why === 'last-owner')
    return new Refusal('last-owner', 'This is the last owner. Make someone else an owner first');
  return memberNotFound();
}

export function memberNotFound(): Refusal {
  return new Refusal('member-not-found', 'There is no such member');
}
