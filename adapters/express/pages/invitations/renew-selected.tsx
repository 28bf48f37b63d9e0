import type { RenewedInvitation } from '@rollcall/core';
import { Confirm, CopyText } from '../design/components.js';
import { setNotice } from '../design/notice.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { actorOf, requireMember, showPageTo } from '../visit.js';
import { invitationsPath } from './invitation-paths.js';
import { canRenew } from './read-invitation.js';
import {
  changeSelected,
  countOf,
  idsField,
  selectedInvitations,
  selectedPath,
} from './selected-invitations.js';
import { SelectedList } from './selected-list.js';

/** Gives all selected invitations new links, after asking, and shows the links. */
export function renewSelected(deps: PageDeps): Page {
  return {
    path: '/organizations/:id/invitations/selected/renew',
    get: requireMember(deps, { role: 'admin', section: 'invitations' }, async (visit) => {
      const { organization, response, signedIn } = visit;
      const selected = await selectedInvitations(deps, visit);
      const open = selected.filter(canRenew);
      const list = invitationsPath(organization.id);
      if (open.length === 0) {
        setNotice(deps, response, 'none-to-renew');
        return response.redirect(303, list);
      }
      const question = `Renew ${countOf(open.length)}?`;
      showPageTo(visit, deps, {
        title: question,
        body: (
          <Confirm
            kind="primary"
            question={question}
            action={selectedPath(organization.id, 'renew')}
            token={signedIn.formToken}
            fields={idsField(open)}
            confirmLabel={`Renew ${countOf(open.length)}`}
            cancelPath={list}
          >
            <p>Each person gets a new link for you to send. Their old links stop working at once.</p>
            <SelectedList invitations={open} left={selected.length - open.length} />
          </Confirm>
        ),
      });
    }),
    post: requireMember(deps, { role: 'admin', section: 'invitations' }, async (visit) => {
      const { organization, request } = visit;
      const by = actorOf(visit);
      const { changed, total } = await changeSelected(request, (invitationId) =>
        deps.core.renewInvitation({ organization, invitationId, by }),
      );
      const title = `Renewed ${countOf(changed.length, total)}`;
      const list = invitationsPath(organization.id);
      showPageTo(visit, deps, {
        title,
        body: <Renewed {...{ title, changed, total, list }} sendsMail={deps.sendsMail} />,
      });
    }),
  };
}

interface RenewedProps {
  readonly title: string;
  readonly changed: readonly RenewedInvitation[];
  readonly total: number;
  /** The path of the list. */
  readonly list: string;
  readonly sendsMail: boolean;
}

function Renewed({ title, changed, total, list, sendsMail }: RenewedProps) {
  const links = changed.map(({ email, invitationUrl }) => `${email}\t${invitationUrl}`);
  return (
    <>
      <p class="back-link">
        <a href={list}>All invitations</a>
      </p>
      <h1>{title}</h1>
      {changed.length < total && (
        <p>The others were not changed, because they have changed since you selected them.</p>
      )}
      {links.length > 0 && (
        <section class="card">
          <p>
            {!sendsMail && 'We don’t send emails. '}Send each person their own link yourself, and share it
            with no one else.
          </p>
          <CopyText id="urls" label="New links" text={links.join('\n')} isLong />
        </section>
      )}
    </>
  );
}
