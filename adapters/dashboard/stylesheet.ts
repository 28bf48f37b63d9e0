import { baseStyles } from './styles/base.js';
import { docsStyles } from './styles/docs.js';
import { exportStyles } from './styles/export.js';
import { meetingsStyles } from './styles/meetings.js';
import { organizationStyles } from './styles/organization.js';
import { partsStyles } from './styles/parts.js';

/**
 * What we add to Pico. Its icons are data: addresses, which the pages' policy forbids: select, checkbox,
 * disclosure and dates have icons of ours, from `/assets`.
 */
export const stylesheet = [
  baseStyles,
  partsStyles,
  meetingsStyles,
  organizationStyles,
  exportStyles,
  docsStyles,
].join('\n');
