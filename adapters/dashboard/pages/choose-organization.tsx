import type { Organization } from '@rollcall/core';
import type { Dashboard } from '../dashboard.js';
import { formToken } from '../form-guard.js';
import { show } from '../layout.js';
import type { Page } from '../page.js';
import { memberPath, signedIn } from '../session.js';

/** Leads to the meetings with the one organization that there is, or lets people choose. */
export function chooseOrganization(dashboard: Dashboard): Page {
  return {
    path: '/meetings',
    get: signedIn(dashboard, async ({ user, boundTo }, request, response) => {
      if (boundTo !== null) return response.redirect(303, memberPath(boundTo));
      const memberships = await dashboard.core.listMemberships({ userId: user.id });
      const [only, ...others] = memberships;
      if (only !== undefined && others.length === 0)
        return response.redirect(303, memberPath(only.organization.id));

      show(dashboard, response, {
        title: 'Your organizations',
        signedIn: { user, formToken: formToken(dashboard, request, response), isBound: false },
        body: <Organizations organizations={memberships.map(({ organization }) => organization)} />,
      });
    }),
  };
}

function Organizations({ organizations }: { readonly organizations: readonly Organization[] }) {
  if (organizations.length === 0) return <NoOrganization />;
  return (
    <>
      <h1>Your organizations</h1>
      <p>Whose meetings do you want to see?</p>
      <ul class="choices">
        {organizations.map(({ id, name }) => (
          <li key={id}>
            <a class="card" href={memberPath(id)} dir="auto">
              {name}
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
        You are not a member of any organization yet. When you have accepted an invitation, your meetings are
        here.
      </p>
    </section>
  );
}
