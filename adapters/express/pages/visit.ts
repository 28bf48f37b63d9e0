import type { Actor, Organization, ResumedSession, Role } from '@rollcall/core';
import { readAddress } from '@rollcall/core/adapters';
import type { Request, Response } from 'express';
import type { FormToken } from './design/form.js';
import type { Frame, SignedIn } from './design/frame.js';
import { type CardView, type Parts, showCard, showPage, type View } from './design/layout.js';
import { consumeNotice, type NoticeName, type NoticeView, setNotice } from './design/notice.js';
import type { TimeZone } from './design/times.js';
import { PageError } from './errors/error-page.js';
import type { PageDeps } from './page-deps.js';

type Opened = ReturnType<typeof openVisit>;
type Filled = 'frame' | 'kept';

/** A request to a page, with everything that the page can know. It is made once and filled in as the page is opened. */
export interface Visit extends Readonly<Omit<Opened, Filled>>, Pick<Opened, Filled> {}

/** A visit of someone who is signed in. */
export interface SignedInVisit extends Visit {
  readonly session: ResumedSession;
  /** Whether the reader has no account, but a set-up link. The user of the session is then the owner who has made it. */
  readonly isSetup: boolean;
  readonly signedIn: SignedIn;
  /** For the form of the page. If the form is given back when it has expired, it names its author. */
  readonly token: FormToken;
  /** The reader as the actor of changes, for the audit trail. */
  readonly by: Actor;
}

/** A visit of a member of the organization who may open the page. */
export interface MemberVisit extends SignedInVisit {
  readonly organization: Organization;
  readonly role: Role;
  /** The zone of the page's times. */
  readonly zone: TimeZone;
}

/** The props of a part of such a member's page. */
export type PartProps<Props = unknown> = Readonly<Props> & { readonly visit: MemberVisit };

/** `pagePath`: the address of the page. Null if only forms are sent there, or if it contains a secret. */
export function openVisit(
  deps: PageDeps,
  request: Request,
  response: Response,
  pagePath: string | null = null,
) {
  /** The value of the session's cookie. Null: there is none. */
  const sessionToken = deps.cookies.read(request, 'session');
  let session: Promise<ResumedSession | null> | null = null;
  const visit = {
    ...deps,
    ...{ request, response, pagePath, sessionToken },
    /** The IP address of the reader, without a port. Empty if unknown. */
    clientAddress: readAddress(request.ip ?? '') ?? '',
    /** The session, or null. Looked up once. */
    findSession(): Promise<ResumedSession | null> {
      session ??= deps.core.resumeSession({ session: sessionToken });
      return session;
    },
    /** A field of the form that was sent. Empty if it is missing. */
    field: (name: string) => (request.body as Readonly<Record<string, string>>)[name] ?? '',
    show: (view: View, ...parts: Parts): void => showPage(visit, view, ...parts),
    showCard: (view: CardView, ...parts: Parts): void => showCard(visit, view, ...parts),
    /** Leads to another page, which shows the notice. `name` replaces `{name}` in it. */
    leadTo(path: string, notice?: NoticeName, name?: string): void {
      if (notice !== undefined) setNotice(visit, notice, name);
      response.redirect(303, path);
    },
    setNotice: (notice: NoticeName): void => setNotice(visit, notice),
    /** The notice for this page, which is shown once. Null if there is none. */
    consumeNotice: (): NoticeView | null => consumeNotice(visit),
    /** The rows at the top of the page, as far as they are known. An error page has the same. */
    frame: {} as Frame,
    /** What was typed before the form or the session had expired. Null if there is nothing to give back. */
    kept: null as Readonly<Record<string, string>> | null,
  };
  return visit;
}

/** The number of something in an address. Anything but a canonical number is not found. */
export function canonicalId(parameter: unknown): number {
  const id = Number(parameter);
  if (!/^[1-9]\d{0,15}$/.test(String(parameter)) || !Number.isSafeInteger(id))
    throw new PageError('not-found');
  return id;
}
