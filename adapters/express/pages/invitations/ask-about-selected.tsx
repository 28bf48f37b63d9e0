import type { ComponentChildren } from 'preact';
import { Confirm } from '../design/components.js';
import { setNotice } from '../design/notice.js';
import type { PageHandler } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { requireMember, showPageTo } from '../visit.js';
import { invitationsPath } from './invitation-paths.js';
import type { KnownInvitation } from './read-invitation.js';
import {
  type BulkAction,
  countOf,
  idsField,
  selectedInvitations,
  selectedPath,
} from './selected-invitations.js';
import { SelectedList } from './selected-list.js';

interface Question {
  readonly action: BulkAction;
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
export function askAboutSelected(
  deps: PageDeps,
  { action, verb, kind, isAllowed, consequence, controls }: Question,
): PageHandler {
  return requireMember(deps, { role: 'admin', section: 'invitations' }, async (visit) => {
    const { organization, response, signedIn } = visit;
    const selected = await selectedInvitations(deps, visit);
    const invitations = selected.filter(isAllowed);
    const list = invitationsPath(organization.id);
    if (invitations.length === 0) {
      setNotice(deps, response, `none-to-${action}`);
      return response.redirect(303, list);
    }
    const change = `${verb} ${countOf(invitations.length)}`;
    showPageTo(visit, deps, {
      title: `${change}?`,
      body: (
        <Confirm
          kind={kind}
          question={`${change}?`}
          action={selectedPath(organization.id, action)}
          token={signedIn.formToken}
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
  });
}
