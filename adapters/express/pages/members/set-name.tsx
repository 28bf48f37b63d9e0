import type { Request } from 'express';
import { requireAccount } from '../account/require-account.js';
import { clientAddress } from '../client-address.js';
import { Button, ButtonLink } from '../design/button.js';
import { Form, type FormProblems, INVALID_FORM_STATUS, noProblems, problemsOf } from '../design/form.js';
import { showPage } from '../design/layout.js';
import { setNotice } from '../design/notice.js';
import { type FormToken, fieldOf, formToken } from '../form-guard.js';
import { NameFields, personLabels } from '../invitations/invite-form.js';
import { openForm } from '../kept-form.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { actorOf, requireMember, showPageTo } from '../visit.js';
import { memberOf, nameOf } from './member-view.js';
import { memberPath } from './people-paths.js';

/** The form for the name of a member. */
export function setName(deps: PageDeps): Page {
  return {
    path: '/organizations/:id/people/:userId/name',
    keptForm: { fields: ['first_name', 'last_name'] },
    get: requireMember(deps, { role: 'owner', section: 'people' }, async (visit) => {
      const { user } = await memberOf(deps, visit);
      const { token, kept } = openForm(deps, visit);
      const name = {
        firstName: kept?.first_name ?? user.firstName,
        lastName: kept?.last_name ?? user.lastName,
      };
      const back = memberPath(visit.organization.id, user.id);
      showPageTo(visit, deps, view({ person: nameOf(user), name, back, token, problems: noProblems }));
    }),
    post: requireMember(deps, { role: 'owner', section: 'people' }, async (visit) => {
      const { organization, request, response } = visit;
      const { user } = await memberOf(deps, visit);
      const name = nameIn(request);
      const back = memberPath(organization.id, user.id);
      try {
        const person = { userId: user.id };
        await deps.core.setName({ person, ...name, onlyOf: organization, by: actorOf(visit) });
        setNotice(deps, response, 'name-changed');
        response.redirect(303, back);
      } catch (error) {
        const problems = problemsOf(error, personLabels, ['in-other-organization']);
        const { token } = openForm(deps, visit);
        showPageTo(visit, deps, view({ person: nameOf(user), name, back, token, problems }));
      }
    }),
  };
}

/** The form for the reader's own name. */
export function setOwnName(deps: PageDeps): Page {
  return {
    path: '/account/name',
    get: requireAccount(deps, async ({ user, endsInMs }, request, response) => {
      const token = formToken(deps, request, response);
      showPage(deps, response, {
        signedIn: { user, formToken: token, isBound: false, endsInMs },
        ...view({ person: null, name: user, back: '/account', token, problems: noProblems }),
      });
    }),
    post: requireAccount(deps, async ({ user, endsInMs }, request, response) => {
      const name = nameIn(request);
      const by = { who: { kind: 'user', userId: user.id }, from: clientAddress(request) || null } as const;
      try {
        await deps.core.setName({ person: { userId: user.id }, ...name, by });
        setNotice(deps, response, 'name-changed');
        response.redirect(303, '/account');
      } catch (error) {
        const problems = problemsOf(error, personLabels);
        const token = formToken(deps, request, response);
        showPage(deps, response, {
          signedIn: { user, formToken: token, isBound: false, endsInMs },
          ...view({ person: null, name, back: '/account', token, problems }),
        });
      }
    }),
  };
}

interface Name {
  readonly firstName: string;
  readonly lastName: string;
}

function nameIn(request: Request): Name {
  return { firstName: fieldOf(request, 'first_name'), lastName: fieldOf(request, 'last_name') };
}

interface NameView {
  /** The name until now; null: the reader's own. */
  readonly person: string | null;
  readonly name: Name;
  /** The page that leads here. */
  readonly back: string;
  readonly token: FormToken;
  readonly problems: FormProblems;
}

function view({ person, name, back, token, problems }: NameView) {
  const refused = problems !== noProblems;
  const title = person === null ? 'Your name' : `The name of ${person}`;
  return {
    status: refused ? INVALID_FORM_STATUS : 200,
    title: refused ? `Error: ${title}` : title,
    body: (
      <section class="card narrow">
        <h1>{person === null ? title : <bdi>{person}</bdi>}</h1>
        <p>
          The new name is shown everywhere from now on, also in meetings that{' '}
          {person === null ? 'you' : 'they'} lead. An import that has the earlier name changes it back, so
          have it corrected there, too.
        </p>
        <Form token={token} problem={problems.general}>
          <NameFields person={name} problems={problems} isOwn={person === null} />
          <div class="actions">
            <Button kind="primary">Save the name</Button>
            <ButtonLink kind="quiet" href={back}>
              Cancel
            </ButtonLink>
          </div>
        </Form>
      </section>
    ),
  };
}
