import type { Request, Response } from 'express';
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { DemoStrip } from '../demo/demo-strip.js';
import type { PageDeps } from '../page-deps.js';
import { setErrorCode } from '../page-headers.js';
import { addBasePath } from '../public-address.js';
import { Banner } from './components.js';
import { type FormProblems, noProblems, statusOf } from './form.js';
import { type Frame, Sections, TopBar } from './frame.js';
import type { NoticeView } from './notice.js';
import { renderContent } from './render-content.js';
import type { TimeZone } from './times.js';

export interface View {
  /** By default that of its form. */
  readonly status?: number;
  readonly title: string;
  /** The problems of the page's form. The title and the status say whether it was refused. */
  readonly problems?: FormProblems;
  /** What the form that led to this page has done. It is above everything else on the page. */
  readonly notice?: NoticeView | null;
  /** The zone of the page's times, if it shows any. By default that of the visit. */
  readonly timeZone?: TimeZone | undefined;
  /** Whether the script may load the page again for times in another zone: not if it shows something once. */
  readonly mayReload?: boolean;
  /** The fragment of the address that a refused form leads to, if it has one. */
  readonly problemsFragment?: string;
}

/** A page with one narrow card. */
export interface CardView extends View {
  /** By default the title. */
  readonly heading?: ComponentChildren;
  /** Whether its destructive button is what the page is for. */
  readonly isConfirm?: boolean;
}

/** What a page or a card shows, one below the other. */
export type Parts = readonly ComponentChildren[];

interface Shown extends Pick<PageDeps, 'serviceName' | 'assets' | 'address' | 'demo'> {
  readonly frame: Frame;
  readonly request: Request;
  readonly response: Response;
  readonly kept: unknown;
  readonly zone?: TimeZone | undefined;
}

export function showPage(visit: Shown, { problems = noProblems, ...view }: View, ...parts: Parts): void {
  const { address, request, response, kept, zone } = visit;
  const refused = problems !== noProblems;
  // Nothing was done if the form is given back.
  const status = view.status ?? (kept === null ? statusOf(problems) : 403);
  const title = refused ? `Error: ${view.title}` : view.title;
  // The script reloads a page in another zone, which would send a form again, or hide what is shown once.
  const isReloadable = request.method !== 'POST' && view.mayReload !== false;
  const timeZone = isReloadable ? (view.timeZone ?? zone) : undefined;
  const page = <Layout {...{ visit, parts }} view={{ ...view, title, timeZone }} />;
  setErrorCode(response, status);
  response.status(status).type('html');
  response.send(`<!doctype html>${addBasePath(renderToString(page), address.basePath)}`);
}

export function showCard(visit: Shown, card: CardView, ...parts: Parts): void {
  const { heading, isConfirm = false, ...view } = card;
  showPage(
    visit,
    view,
    <section class={isConfirm ? 'card narrow confirm' : 'card narrow'}>
      <h1>{heading ?? view.title}</h1>
      {parts}
    </section>,
  );
}

function Layout({ visit, view, parts }: Readonly<{ visit: Shown; view: View; parts: Parts }>) {
  const { serviceName, assets, address, demo, frame } = visit;
  const { signedIn, navigation } = frame;
  return (
    <html
      lang="en"
      data-time-zone={view.timeZone}
      data-session-ends-in={signedIn?.endsInMs}
      data-session-started-by={signedIn?.startedBy === 'password' ? undefined : signedIn?.startedBy}
      data-base-path={address.basePath || undefined}
    >
      <head>
        <meta charset="utf-8" />
        <title>{`${view.title} · ${serviceName}`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="stylesheet" href={assets.pico} />
        <link rel="stylesheet" href={assets.stylesheet} />
        <script type="module" src={assets.script} />
        <link rel="icon" href={assets.logo.href} type={assets.logo.type} />
      </head>
      <body>
        <a class="skip-link" href="#main">
          Skip to content
        </a>
        {demo !== undefined && <DemoStrip />}
        <TopBar {...{ serviceName, assets, address }} {...frame} />
        {navigation && <Sections {...navigation} />}
        <main
          id="main"
          class="container"
          tabIndex={-1}
          dangerouslySetInnerHTML={{
            __html: renderContent(<Content {...view} {...{ parts }} />, view.problemsFragment),
          }}
        />
        <div id="announcement" class="visually-hidden" role="status" />
      </body>
    </html>
  );
}

function Content({ notice = null, parts }: Pick<View, 'notice'> & { readonly parts: Parts }) {
  return (
    <>
      {notice !== null && (
        <Banner tone={notice.tone} role="status">
          {notice.text}
        </Banner>
      )}
      {parts}
    </>
  );
}
