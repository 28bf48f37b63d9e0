import type { InvitationView } from '@rollcall/core';
import { Badge } from '../design/components.js';
import { states } from './invitations-query.js';

export function StateBadge({ state, replacedBy }: Pick<InvitationView, 'state' | 'replacedBy'>) {
  const { tone, label } = states[replacedBy === null ? state : 'replaced'];
  return <Badge tone={tone}>{label}</Badge>;
}
