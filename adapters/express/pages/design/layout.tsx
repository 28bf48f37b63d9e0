import type { Response } from 'express';
import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { addBasePath } from '../base-path.js';
import type { PageDeps } from '../page-deps.js';
import { setErrorCode } from '../set-error-code.js';
import { Banner } from './banner.js';
import { type Frame, Sections, TopBar } from './frame.js';
import type { NoticeView } from './notice.js';
import { renderContent } from './render-content.js';
import type { TimeZone } from './times.js';

export interface View extends Frame {
  readonly status?: number;
  readonly title: string;
  /** What the form that led to this page has done. It is above everything else on the page. */
  readonly notice?: NoticeView | null;
  /** The zone of the page's times, if it shows any. */
  readonly timeZone?: TimeZone;
  /** The fragment of the address that a refused form leads to, if it has one. */
  readonly problemsFragment?: string;
  /** Replaces Pico in the page's head. */
  readonly head?: VNode;
  readonly body: VNode;
}

type LayoutDeps = Pick<PageDeps, 'serviceName' | 'assets' | 'address'>;

/** Answers with a whole page. */
export function showPage(deps: LayoutDeps, response: Response, view: View): void {
  const { basePath } = deps.address;
  const html = addBasePath(renderToString(<Layout deps={deps} view={view} />), basePath);
  const { status = 200 } = view;
  setErrorCode(response, status);
  response.status(status).type('html').send(`<!doctype html>${html}`);
}

function Layout({ deps, view }: { readonly deps: LayoutDeps; readonly view: View }) {
  const { serviceName, assets } = deps;
  const { signedIn, navigation } = view;
  return (
    <html
      lang="en"
      data-time-zone={view.timeZone}
      data-session-ends-in={signedIn?.endsInMs}
      data-session-is-bound={signedIn?.isBound === true ? '' : undefined}
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
        <link rel="icon" href={assets.logo.href} type={assets.logo.type} />
      </head>
      <body>
        <a class="skip-link" href="#main">
          Skip to content
        </a>
        <TopBar
          {...{ serviceName, assets }}
          address={deps.address}
          {...(signedIn && { signedIn })}
          {...(navigation && { navigation })}
        />
        {navigation && <Sections {...navigation} />}
        <main
          id="main"
          class="container"
          tabIndex={-1}
          dangerouslySetInnerHTML={{ __html: renderContent(<Content {...view} />, view.problemsFragment) }}
        />
        <div id="announcement" class="visually-hidden" role="status" />
      </body>
    </html>
  );
}

function Content({ notice = null, body }: Pick<View, 'notice' | 'body'>) {
  return (
    <>
      {notice !== null && <Notice tone={notice.tone}>{notice.text}</Notice>}
      {body}
    </>
  );
}

interface NoticeProps {
  readonly tone?: NoticeView['tone'];
  readonly children: ComponentChildren;
}

/** A sentence that screen readers read as soon as the page has loaded. */
export function Notice({ tone = 'success', children }: NoticeProps) {
  return (
    <Banner tone={tone} role="status">
      {children}
    </Banner>
  );
}
