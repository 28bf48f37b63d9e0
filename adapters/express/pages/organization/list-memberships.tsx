import type { Organization, Role } from '@rollcall/core';
import { Notice, showPage } from '../design/layout.js';
import { consumeNotice } from '../design/notice.js';
import { formToken } from '../form-guard.js';
import { roleTitles } from '../members/roles.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { myMeetingsPath, requireSignIn } from '../session.js';
import { landingPath } from './sections.js';

/** Redirects to the reader's organization, or lets them choose among several. */
export function listMemberships(deps: PageDeps): Page {
  return {
    path: '/meetings',
    get: requireSignIn(deps, async ({ user, boundTo }, request, response) => {
      if (boundTo !== null) return response.redirect(303, myMeetingsPath(boundTo));
      const memberships = await deps.core.listMemberships({ userId: user.id });
      const [only, ...others] = memberships;
      if (only !== undefined && others.length === 0) return response.redirect(303, pathTo(only));

      showPage(deps, response, {
        title: 'Your organizations',
        signedIn: { user, formToken: formToken(deps, request, response), isBound: false },
        body: <Organizations memberships={memberships} notice={consumeNotice(deps, request, response)} />,
      });
    }),
  };
}

interface Membership {
  readonly organization: Organization;
  readonly role: Role;
}

function pathTo({ organization, role }: Membership): string {
  return landingPath({ organizationId: organization.id, role });
}

interface OrganizationsProps {
  readonly memberships: readonly Membership[];
  readonly notice: string | null;
}

function Organizations({ memberships, notice }: OrganizationsProps) {
  return (
    <>
      {notice !== null && <Notice>{notice}</Notice>}
      {memberships.length === 0 ? <NoOrganization /> : <Choices memberships={memberships} />}
    </>
  );
}

function Choices({ memberships }: Pick<OrganizationsProps, 'memberships'>) {
  return (
    <>
      <h1>Your organizations</h1>
      <p>Choose one to open.</p>
      <ul class="organization-choices">
        {memberships.map((membership) => (
          <li key={membership.organization.id}>
            <a class="card" href={pathTo(membership)}>
              <bdi>{membership.organization.name}</bdi>
              <span class="role">{roleTitles[membership.role]}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

function NoOrganization() {
  return (
    <section class="card empty">
      <h1>Your organizations</h1>
      <p>
        You are not a member of any organization yet. After you accept an invitation, you will find your
        meetings here.
      </p>
    </section>
  );
}
