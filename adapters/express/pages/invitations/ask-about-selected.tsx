import type { ComponentChildren } from 'preact';
import { Confirm } from '../design/components.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { type KnownInvitation, nameOf } from './read-invitation.js';
import { countOf, idsField, selectedInvitations } from './selected-invitations.js';

interface Question {
  readonly action: 'renew' | 'revoke';
  /** The action as the first word of the question and of its button. */
  readonly verb: string;
  readonly kind: 'primary' | 'destructive';
  readonly isAllowed: (invitation: KnownInvitation) => boolean;
  /** What happens to the people, in a sentence or two. */
  readonly consequence: string;
  /** Fields for the reader to fill in. */
  readonly controls?: ComponentChildren;
}

/** Asks before all selected invitations are changed that the action is allowed for. */
export async function askAboutSelected(visit: MemberVisit, question: Question): Promise<void> {
  const { organization, token } = visit;
  const { action, verb, kind, isAllowed, consequence, controls } = question;
  const selected = await selectedInvitations(visit);
  const invitations = selected.filter(isAllowed);
  const list = paths.invitations(organization.id);
  if (invitations.length === 0) return visit.leadTo(list, `none-to-${action}`);
  const change = `${verb} ${countOf(invitations.length)}`;
  visit.show({
    title: `${change}?`,
    body: (
      <Confirm
        {...{ kind, token }}
        question={`${change}?`}
        action={paths.selectedInvitations(organization.id, action)}
        fields={idsField(invitations)}
        controls={controls}
        confirmLabel={change}
        cancelPath={list}
      >
        <p>{consequence}</p>
        <SelectedList invitations={invitations} left={selected.length - invitations.length} />
      </Confirm>
    ),
  });
}

interface SelectedListProps {
  readonly invitations: readonly KnownInvitation[];
  /** The selected invitations that the action does not apply to. */
  readonly left: number;
}

/** The people whose invitations will change, and how many of the selected ones will not. */
function SelectedList({ invitations, left }: SelectedListProps) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard. */}
      <ul class="selected-people" tabIndex={0} aria-label="Selected people">
        {invitations.map((invitation) => (
          <li key={invitation.id}>
            <bdi>{nameOf(invitation)}</bdi>
            <bdi class="secondary-text">{invitation.email}</bdi>
          </li>
        ))}
      </ul>
      {left > 0 && (
        <p>
          {left === 1
            ? '1 other that you selected stays as it is, because its state has changed or does not allow this.'
            : `${left} others that you selected stay as they are, because their state has changed or does not allow this.`}
        </p>
      )}
    </>
  );
}
