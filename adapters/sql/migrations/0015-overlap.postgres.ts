import { atOnce, change, index, type Step } from './steps.js';

/** Adds the signing secret and the access key before the current one, which can stay in use. These changes touch no row. */
export const overlapInSteps: readonly Step[] = [
  change(
    `ALTER TABLE webhooks
      ADD COLUMN previous_sealed_secret text,
      ADD COLUMN previous_secret_until timestamptz`,
  ),
  change(
    `ALTER TABLE organizations
      ADD COLUMN previous_key_hash text,
      ADD COLUMN previous_key_generation bigint,
      ADD COLUMN previous_key_used_at timestamptz,
      ADD COLUMN previous_key_until timestamptz,
      ADD COLUMN previous_key_replaced_by bigint`,
  ),
  index('previous_access_keys', 'organizations (previous_key_hash) WHERE previous_key_hash IS NOT NULL'),
];

export const up = atOnce(overlapInSteps);
