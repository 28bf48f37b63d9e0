import { refusal } from '../errors.js';

/** The refusal for a user who is not a member of the organization, addressed to that user. */
export const notAMember = refusal('member-not-found', 'You are not a member of this organization');
