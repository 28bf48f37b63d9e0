import type { Organization, Session, User } from '@rollcall/core';
import { Fragment } from 'preact';
import type { Section } from '../organization/sections.js';
import type { PageDeps } from '../page-deps.js';
import { Avatar } from './avatar.js';
import { Button, Icon, type IconName, type Parent, SearchButton } from './components.js';
import { Form, type FormToken } from './form.js';

/** The rows at the top of every page: for whom the page is, and where in the service it is. */
export interface Frame {
  readonly signedIn?: SignedIn;
  readonly navigation?: OrganizationNavigation;
}

export interface SignedIn {
  readonly user: Pick<User, 'id' | 'firstName' | 'lastName' | 'avatar'>;
  readonly formToken: FormToken;
  /** Only a session that the password started has an account page. */
  readonly startedBy: Session['startedBy'];
  /** The milliseconds until the session ends if there is no other request. */
  readonly endsInMs: number;
}

/** The organization whose page this is, its sections, and the reader's other organizations. */
export interface OrganizationNavigation {
  readonly organization: Pick<Organization, 'id' | 'name'>;
  readonly sections: readonly Section[];
  readonly current: Section['name'] | null;
  /** All organizations that the reader may switch to, including this one. */
  readonly organizations: readonly Readonly<{ id: number; name: string; path: string }>[];
}

/** The number of organizations in the switcher. Readers with more search. */
export const MAX_LISTED_ORGANIZATIONS = 8;

type TopBarProps = Frame & Pick<PageDeps, 'serviceName' | 'assets' | 'address'>;

export function TopBar({ serviceName, assets, address, signedIn, navigation }: TopBarProps) {
  return (
    <header class={navigation === undefined ? 'top-bar' : 'top-bar has-organization'}>
      <div class="container">
        <a class="brand" href="/">
          <img src={assets.logo.href} alt="" height="28" />
          <span>{serviceName}</span>
        </a>
        {navigation !== undefined && <OrganizationMenu {...navigation} />}
        {signedIn !== undefined && (
          <AccountMenu {...signedIn} address={address} hasOthers={navigation?.organizations.length !== 1} />
        )}
      </div>
    </header>
  );
}

function OrganizationMenu({ organization, organizations }: OrganizationNavigation) {
  if (organizations.length < 2)
    return (
      <p class="organization-name">
        <bdi>{organization.name}</bdi>
      </p>
    );
  const isLong = organizations.length > MAX_LISTED_ORGANIZATIONS;
  const others = organizations.filter(({ id }) => id !== organization.id);
  return (
    <details class="menu organizations" name="menu">
      <summary>
        <span class="visually-hidden">Organization: </span>
        <bdi>{organization.name}</bdi>
      </summary>
      <div class="menu-panel">
        {isLong && <OrganizationSearch />}
        <ul class="plain">
          {others.slice(0, MAX_LISTED_ORGANIZATIONS).map(({ id, name, path }) => (
            <li key={id}>
              <a href={path}>
                <bdi>{name}</bdi>
              </a>
            </li>
          ))}
        </ul>
        <hr />
        <a href="/meetings">{isLong ? `All ${organizations.length} organizations` : 'All organizations'}</a>
      </div>
    </details>
  );
}

function OrganizationSearch() {
  return (
    <search>
      <form class="switch-search" method="get" action="/meetings">
        <input
          type="search"
          name="search"
          dir="auto"
          aria-label="Search your organizations"
          placeholder="Name"
          autocomplete="off"
        />
        <SearchButton />
      </form>
    </search>
  );
}

interface AccountMenuProps extends SignedIn, Pick<PageDeps, 'address'> {
  /** Whether the reader may have another organization than that of the page. */
  readonly hasOthers: boolean;
}

function AccountMenu({ user, formToken, startedBy, address, hasOthers }: AccountMenuProps) {
  const name = `${user.firstName} ${user.lastName}`;
  return (
    <details class="menu account" name="menu">
      <summary>
        {startedBy === 'setup-link' ? (
          'Set-up link'
        ) : (
          <>
            <Avatar person={{ ...user, name }} address={address} />
            <span class="visually-hidden">Account: </span>
            <span class="person">
              <bdi>{name}</bdi>
            </span>
          </>
        )}
      </summary>
      <div class="menu-panel">
        <p>
          {startedBy === 'setup-link' ? 'With the set-up link of' : 'Signed in as'} <bdi>{name}</bdi>
        </p>
        {(startedBy === 'password' || startedBy === 'sign-on') && (
          <ul class="plain">
            {startedBy === 'password' && (
              <MenuLink href="/account" icon="account">
                Your account
              </MenuLink>
            )}
            {startedBy === 'password' && hasOthers && (
              <MenuLink href="/meetings" icon="organizations">
                Your organizations
              </MenuLink>
            )}
            <MenuLink href="/docs/guide" icon="guide">
              API guide
            </MenuLink>
          </ul>
        )}
        <Button kind="quiet" type="button" hidden data-keys="">
          <Icon name="keys" />
          Keyboard shortcuts
        </Button>
        <hr />
        <Form action="/sign-out" token={formToken}>
          <Button kind="quiet">
            <Icon name="signOut" />
            Sign out
          </Button>
        </Form>
      </div>
    </details>
  );
}

function MenuLink({ href, icon, children }: Parent<{ href: string; icon: IconName }>) {
  return (
    <li>
      <a href={href} class="with-icon">
        <Icon name={icon} />
        {children}
      </a>
    </li>
  );
}

/** Links to the sections that the reader may open. Nothing if there is only one. */
export function Sections({ sections, current }: Pick<OrganizationNavigation, 'sections' | 'current'>) {
  if (sections.length < 2) return null;
  return (
    <div class="sections">
      <nav aria-label="Sections">
        {sections.map(({ name, path, title }) => (
          <Fragment key={name}>
            <a href={path} {...(name === current && { 'aria-current': 'page' as const })}>
              {title}
            </a>{' '}
          </Fragment>
        ))}
        <a class="docs-link" href="/docs">
          API documentation
        </a>
      </nav>
    </div>
  );
}
