import { atOnce, change, index, type Step } from './steps.js';

/** Adds dropped deliveries, and when each secret key was last in use. These changes touch no row. */
export const heldInSteps: readonly Step[] = [
  change('ALTER TABLE deliveries ADD COLUMN is_dropped boolean NOT NULL DEFAULT false'),
  index(
    'held_deliveries',
    `deliveries (organization_id, created_at) WHERE state = 'failed' AND finished_at IS NULL`,
  ),
  change('CREATE TABLE secret_key_uses (key_id text PRIMARY KEY, used_at timestamptz NOT NULL)'),
];

export const up = atOnce(heldInSteps);
