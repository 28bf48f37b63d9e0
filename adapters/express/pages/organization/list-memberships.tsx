import type { Membership } from '@rollcall/core';
import { ButtonLink, Empty } from '../design/components.js';
import { MAX_LISTED_ORGANIZATIONS } from '../design/frame.js';
import { Pagination, SearchField, SearchForm, searchIn } from '../design/list.js';
import { roleTitles } from '../members/roles.js';
import { signedInPage } from '../page.js';
import { paths } from '../paths.js';
import { organizationLink } from './sections.js';

/** Redirects to the reader's organization, or lets them choose among several. */
export const listMemberships = signedInPage({
  path: paths.memberships,
  async get(visit) {
    const { core, session, request } = visit;
    const { boundTo, startedBy } = session;
    if (boundTo !== null && startedBy === 'login-link') return visit.leadTo(paths.meetings(boundTo));
    if (boundTo !== null && startedBy === 'setup-link') return visit.leadTo(paths.signOn(boundTo));
    const all = await core.listMemberships({ userId: session.user.id });
    const memberships = all.filter(({ organization: { id } }) => boundTo === null || boundTo === id);
    const choices = memberships.map(organizationChoice);
    const [only, ...others] = choices;
    if (only !== undefined && others.length === 0) return visit.leadTo(only.path);

    const search = searchIn(request);
    const found = choices.filter(({ name }) => folded(name).includes(folded(search)));
    const [total, page] = [choices.length, pageIn(request.query.page)];
    const query = search === '' ? {} : { search };
    const shown = found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
    visit.show(
      { title: 'Your organizations', notice: visit.consumeNotice() },
      total === 0 ? (
        <NoOrganization />
      ) : (
        <>
          <hgroup>
            <h1>Your organizations</h1>
            <p>Choose one to open.</p>
          </hgroup>
          {(total > MAX_LISTED_ORGANIZATIONS || search !== '') && (
            <SearchForm
              path={paths.memberships}
              showAll={search !== '' && { href: paths.memberships, text: 'Show all' }}
            >
              <SearchField
                label="Search your organizations"
                value={search}
                help="Part of a name. Accents and case don’t matter."
              />
            </SearchForm>
          )}
          {shown.length === 0 ? (
            <Empty next={{ href: '/meetings', text: 'Show all organizations' }}>
              {search === '' ? 'This page is empty.' : 'None of your organizations matches.'}
            </Empty>
          ) : (
            <ul class="plain organization-choices">
              {shown.map(({ id, name, role, path }) => (
                <li key={id}>
                  <a class="card" href={path}>
                    <bdi>{name}</bdi> <span class="role">{role}</span>
                  </a>
                </li>
              ))}
            </ul>
          )}
          <Pagination current={page} total={Math.ceil(found.length / PAGE_SIZE)} query={query} />
        </>
      ),
    );
  },
});

function organizationChoice(membership: Membership) {
  return { ...organizationLink(membership), role: roleTitles[membership.role] };
}

function pageIn(text: unknown): number {
  return typeof text === 'string' && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1;
}

/** Accents and case don't matter. */
function folded(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

const PAGE_SIZE = 50;

function NoOrganization() {
  return (
    <section class="card empty">
      <h1>Your organizations</h1>
      <p>
        You are not a member of any organization yet. To join one, open the link in your invitation. Don’t
        have one? Ask your organization for it.
      </p>
      <div class="actions">
        <ButtonLink href="/account" text="Go to your account" />
      </div>
    </section>
  );
}
