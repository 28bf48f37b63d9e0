import { baseStyles } from './styles/base.js';
import { docsStyles } from './styles/docs.js';
import { exportStyles } from './styles/export.js';
import { invitationsStyles } from './styles/invitations.js';
import { meetingsStyles } from './styles/meetings.js';
import { organizationStyles } from './styles/organization.js';
import { partsStyles } from './styles/parts.js';
import { webhooksStyles } from './styles/webhooks.js';

/** What we add to Pico, with the icons that it has lost, from `/assets`. */
export const stylesheet = [
  baseStyles,
  partsStyles,
  meetingsStyles,
  organizationStyles,
  exportStyles,
  invitationsStyles,
  webhooksStyles,
  docsStyles,
].join('\n');
