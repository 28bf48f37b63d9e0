import { baseStyles } from './styles/base.js';
import { docsStyles } from './styles/docs.js';
import { invitationsStyles } from './styles/invitations.js';
import { meetingsStyles } from './styles/meetings.js';
import { organizationStyles } from './styles/organization.js';
import { partsStyles } from './styles/parts.js';

/**
 * What we add to Pico. Its icons are data: addresses, which the pages' policy forbids: select, checkbox and
 * disclosure have icons of ours, from `/assets`.
 */
export const stylesheet = [
  baseStyles,
  partsStyles,
  meetingsStyles,
  organizationStyles,
  invitationsStyles,
  docsStyles,
].join('\n');
