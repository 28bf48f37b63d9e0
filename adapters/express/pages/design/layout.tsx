import type { Organization, User } from '@rollcall/core';
import type { Response } from 'express';
import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { addBasePath } from '../base-path.js';
import type { FormToken } from '../form-guard.js';
import type { Section, SectionName } from '../organization/sections.js';
import type { PageDeps } from '../page-deps.js';
import { setErrorCode } from '../set-error-code.js';
import { Form } from './form.js';
import type { TimeZone } from './times.js';

/** Who is signed in, for the top of the page. */
export interface SignedIn {
  readonly user: Pick<User, 'firstName' | 'lastName'>;
  readonly formToken: FormToken;
  /** Whether a login link opened the session. Such a session has no account page. */
  readonly isBound: boolean;
}

/** The organization whose pages these are, with links to its sections and to other organizations. */
export interface OrganizationNavigation {
  readonly organization: Pick<Organization, 'id' | 'name'>;
  readonly sections: readonly Section[];
  readonly current: SectionName | null;
  /** Whether the reader belongs to other organizations. */
  readonly hasOthers: boolean;
}

export interface View {
  readonly status?: number;
  readonly title: string;
  readonly signedIn?: SignedIn;
  readonly navigation?: OrganizationNavigation;
  /** The zone of the page's times, if it shows any. */
  readonly timeZone?: TimeZone;
  /** Replaces Pico in the page's head. */
  readonly head?: VNode;
  readonly body: VNode;
}

/** Answers with a whole page. */
export function showPage(deps: PageDeps, response: Response, view: View): void {
  const { basePath } = deps.address;
  const html = addBasePath(renderToString(<Layout deps={deps} view={view} />), basePath);
  const status = view.status ?? 200;
  setErrorCode(response, status);
  response.status(status).type('html').send(`<!doctype html>${html}`);
}

function Layout({ deps, view }: { readonly deps: PageDeps; readonly view: View }) {
  const { serviceName, assets } = deps;
  return (
    <html
      lang="en"
      data-time-zone={view.timeZone}
      data-base-path={deps.address.basePath === '' ? undefined : deps.address.basePath}
    >
      <head>
        <meta charset="utf-8" />
        <title>{`${view.title} · ${serviceName}`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {view.head ?? <link rel="stylesheet" href={assets.pico} />}
        <link rel="stylesheet" href={assets.stylesheet} />
        <script type="module" src={assets.script} />
        <link rel="icon" href={assets.favicon} type="image/svg+xml" />
      </head>
      <body>
        <a class="skip-link" href="#main">
          Skip to content
        </a>
        <TopBar {...{ serviceName, assets }} {...(view.signedIn && { signedIn: view.signedIn })} />
        {view.navigation && <OrganizationBar navigation={view.navigation} />}
        <main id="main" class="container" tabIndex={-1}>
          {view.body}
        </main>
      </body>
    </html>
  );
}

type TopBarProps = Pick<PageDeps, 'serviceName' | 'assets'> & { readonly signedIn?: SignedIn };

function TopBar({ serviceName, assets, signedIn }: TopBarProps) {
  return (
    <header class="top-bar">
      <div class="container">
        <a class="brand" href="/">
          <img src={assets.favicon} alt="" width="28" height="28" />
          {serviceName}
        </a>
        {signedIn && (
          <div class="signed-in">
            <Person signedIn={signedIn} />
            <Form action="/sign-out" token={signedIn.formToken}>
              <button class="secondary outline" type="submit">
                Sign out
              </button>
            </Form>
          </div>
        )}
      </div>
    </header>
  );
}

function Person({ signedIn: { user, isBound } }: { readonly signedIn: SignedIn }) {
  const name = <bdi>{`${user.firstName} ${user.lastName}`}</bdi>;
  if (isBound) return <span class="person">{name}</span>;
  return (
    <a class="person" href="/account">
      {name}
    </a>
  );
}

function OrganizationBar({
  navigation: { organization, sections, current, hasOthers },
}: {
  readonly navigation: OrganizationNavigation;
}) {
  return (
    <div class="organization-bar">
      <div class="container">
        <p class="organization-name">
          <bdi>{organization.name}</bdi>
          {hasOthers && <a href="/meetings">Other organizations</a>}
          {sections.length > 1 && <a href="/docs">API documentation</a>}
        </p>
        {sections.length > 1 && (
          <nav aria-label="Sections">
            {sections.map(({ name, path, title }) => (
              <a key={name} href={path} {...(name === current && { 'aria-current': 'page' as const })}>
                {title}
              </a>
            ))}
          </nav>
        )}
      </div>
    </div>
  );
}

/** A sentence that screen readers read as soon as the page has loaded. */
export function Notice({ children }: { readonly children: ComponentChildren }) {
  return (
    <p class="notice" role="status">
      {children}
    </p>
  );
}
