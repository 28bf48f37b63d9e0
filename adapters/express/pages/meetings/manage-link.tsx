import { ButtonLink } from '../design/components.js';
import type { PageDeps } from '../page-deps.js';

interface ManageLinkProps {
  readonly visit: Pick<PageDeps, 'meetingUrl'>;
  readonly meeting: { readonly id: number; readonly name: string };
  /** Whether the reader has to do something there. */
  readonly isMain?: boolean;
}

/** Leads to the meeting on the operator's platform, which takes answers. Nothing if the operator has not set it. */
export function ManageLink({
  visit: { meetingUrl },
  meeting: { id, name },
  isMain = false,
}: ManageLinkProps) {
  if (meetingUrl === null) return null;
  return (
    <ButtonLink
      kind={isMain ? 'primary' : 'secondary'}
      isSmall
      href={meetingUrl.replace('{id}', String(id))}
      label={`Manage ${name}`}
      isExternal
      text="Manage"
    />
  );
}
