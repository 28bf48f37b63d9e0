import { Refusal, type Role } from '@rollcall/core';
import type { RequestHandler, Router } from 'express';
import { asAccount, asMember, asSignedIn, countVisit, mayOpen } from './access.js';
import { showSignIn } from './account/sign-in-form.js';
import { noProblems } from './design/form.js';
import { answerError } from './errors/answer-errors.js';
import { PageError } from './errors/error-page.js';
import { carry, hasValidToken, isOwnForm, readForm, typedForm } from './form.js';
import { roleFor, sectionOf } from './organization/sections.js';
import type { PageDeps } from './page-deps.js';
import type { PageKind } from './page-headers.js';
import { pathAfterSignIn, signInPath } from './paths.js';
import { type MemberVisit, openVisit, type SignedInVisit, type Visit } from './visit.js';

type Handler<Visiting> = (visit: Visiting) => Promise<void> | void;

/** One address and its handlers. `get` changes nothing. `post` gets only forms with a valid token. */
interface PageOf<Visiting> {
  readonly path: string;
  readonly kind?: PageKind;
  /** Also shows a form that is given back: `kept` has what was typed. */
  readonly get?: Handler<Visiting>;
  readonly post?: Handler<Visiting>;
  /**
   * The fields that are given back if the form, or the session, has expired when it is sent. Never a password or another
   * secret.
   */
  readonly keeps?: readonly string[];
}

export interface Page extends PageOf<Visit> {
  /** Also answers clients that accept no HTML. Such a page counts its visits itself. */
  readonly isForPrograms?: boolean;
  /** Its form is sent by programs of others, which have no token. The page reads it itself. */
  readonly isSentByPrograms?: boolean;
  /** For a form with a long text: whether this one may be larger than others. */
  readonly mayBeLarge?: (visit: Visit) => Promise<boolean>;
  /** For a form that anyone may send: shows it again if it has expired. */
  readonly expired?: Handler<Visit>;
}

/** A page for people who are signed in. */
export function signedInPage(page: PageOf<SignedInVisit>): Page {
  return restricted(page, asSignedIn);
}

/** A page for people who signed in with their password. */
export function accountPage(page: PageOf<SignedInVisit>): Page {
  return withHandlers(restricted(page, asAccount), (handle) => async (visit) => {
    try {
      await handle(visit);
    } catch (error) {
      // The session has ended meanwhile.
      if (!(error instanceof Refusal) || error.code !== 'sign-in-required') throw error;
      visit.response.redirect(303, signInPath(visit));
    }
  });
}

export interface MemberPage extends PageOf<MemberVisit> {
  /** The lowest role that may open it. By default that of the section to which its address belongs. */
  readonly role?: Role;
  /** Whether the form has a long text. */
  readonly isLarge?: boolean;
  readonly isForSetup?: boolean;
  /** Whether links on the pages below it lead back to the list as it is searched and paged. */
  readonly isList?: boolean;
}

/** A page of the organization in the address, for those of its members who may open the section. */
export function memberPage({
  isLarge = false,
  isForSetup = false,
  isList = false,
  ...given
}: MemberPage): Page {
  const section = sectionOf(given.path);
  const { role = roleFor(section), ...page } = given;
  const mayBeLarge = async (visit: Visit) => isOwnForm(visit) || (await mayOpen(visit, role));
  return {
    ...restricted(page, (visit, isKept) => asMember(visit, { section, role, isForSetup, isList, isKept })),
    ...(isLarge && { mayBeLarge }),
  };
}

function restricted<Visiting>(
  page: PageOf<Visiting>,
  open: (visit: Visit, isKept: boolean) => Promise<Visiting | null>,
): Page {
  return withHandlers(page, (handle) => async (visit) => {
    const known = await open(visit, page.keeps !== undefined);
    if (known !== null) await handle(known);
  });
}

function withHandlers<Visiting>(
  { get, post, ...page }: PageOf<Visiting>,
  wrap: (handle: Handler<Visiting>) => Handler<Visit>,
): Page {
  return { ...page, ...(get && { get: wrap(get) }), ...(post && { post: wrap(post) }) };
}

/** Adds a page to the router, with the rules of every page. */
export function addPage(router: Router, deps: PageDeps, page: Page): void {
  const { path, kind = 'page', get, post, isForPrograms = false } = page;
  // A page does not repeat the secret in its address.
  const hasPage = get !== undefined && !path.includes(':token');
  const answer = (handle: Handler<Visit>, isForAll: boolean): RequestHandler => {
    return async (request, response, next) => {
      if (!isForAll && request.accepts('html') === false) return next('router');
      const visit = openVisit(deps, request, response, hasPage ? request.path : null);
      try {
        deps.setHeaders[kind](request, response);
        if (!isForPrograms) await countVisit(visit);
        await handle(visit);
      } catch (error) {
        await answerError(visit, error, next);
      }
    };
  };
  const route = router.route(path);
  if (get !== undefined) route.get(answer(get, isForPrograms));
  if (post !== undefined) {
    const take = page.isSentByPrograms === true ? post : (visit: Visit) => submit(visit, { ...page, post });
    route.post(answer(take, isForPrograms));
  }
  const allowed = [...(get === undefined ? [] : ['GET', 'HEAD']), ...(post === undefined ? [] : ['POST'])];
  route.all(answer((visit) => rejectMethod(visit, allowed), false));
}

/** Refuses all other methods. Otherwise Express would answer OPTIONS itself, without the usual headers. */
export function rejectMethod({ response }: Pick<Visit, 'response'>, allowed: readonly string[]): never {
  response.set('Allow', allowed.join(', '));
  throw new PageError('method-not-allowed');
}

async function submit(visit: Visit, page: Page & Required<Pick<Page, 'post'>>): Promise<void> {
  const { mayBeLarge } = page;
  await readForm(visit, mayBeLarge && (() => mayBeLarge(visit)));
  if (!(await isCurrent(visit, page)) && visit.address.matchesHost(visit.request.host ?? '')) {
    if (page.expired !== undefined) return page.expired(visit);
    if (page.keeps !== undefined && (await giveBack(visit, page))) return;
  }
  if (!hasValidToken(visit)) throw new PageError('expired-form');
  await page.post(visit);
}

/** Whether the form has a valid token, and its session, if it needs one, has not ended. */
async function isCurrent(visit: Visit, { keeps }: Page): Promise<boolean> {
  return hasValidToken(visit) && (keeps === undefined || (await visit.findSession()) !== null);
}

/**
 * Shows the form again with what was typed, by way of the sign-in page if needed. False if someone else has typed it, or
 * into another page.
 */
async function giveBack(visit: Visit, { keeps = [], get }: Page): Promise<boolean> {
  const typed = await typedForm(visit, keeps);
  if (get === undefined || typed?.path !== visit.request.path) return false;
  const session = await visit.findSession();
  if (session === null) {
    const next = pathAfterSignIn(typed.path);
    showSignIn(visit, { next, problems: noProblems, kept: await carry(visit, typed) });
    return true;
  }
  if (session.user.id !== typed.userId) return false;
  visit.kept = typed.fields;
  await get(visit);
  return true;
}
