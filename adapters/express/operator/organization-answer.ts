import type { operatorComponents } from '@rollcall/contracts';
import type { Organization } from '@rollcall/core';

export function organizationAnswer({
  id,
  name,
  eap,
  timeZone,
  accessKeyGeneration,
}: Organization): operatorComponents['schemas']['Organization'] {
  return { id, name, eap, time_zone: timeZone, has_access_key: accessKeyGeneration > 0 };
}
