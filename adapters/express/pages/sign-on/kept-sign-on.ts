import type { SignOnConfirmation, StartedSignOn } from '@rollcall/core';
import { signOnLifetimeMs } from '@rollcall/core/rules';
import { keepInCookie, keptInCookie } from '../encrypted-cookie.js';
import type { Visit } from '../visit.js';

/** As long as a sign-on may take. */
const LIFETIME_SECONDS = signOnLifetimeMs / 1000;

/** What the browser keeps between two pages of a sign-on, by what it is. */
interface Kept {
  readonly begun: {
    readonly started: StartedSignOn;
    /** The page that was asked for. Null: the start page. */
    readonly next: string | null;
  };
  readonly confirmation: {
    readonly confirmation: SignOnConfirmation;
    /** The address of the member who the person has to be. */
    readonly email: string;
    readonly next: string | null;
  };
  readonly trial: ShownTrial & {
    /** The owner who tried it. */
    readonly userId: number;
  };
}

/** What a trial has shown, in texts that fit into a cookie. */
export interface ShownTrial {
  readonly hasPassed: boolean;
  /** Whether the person would come in. */
  readonly comesIn: boolean;
  /** What signing in would do, or why nobody was identified. */
  readonly outcome: string;
  readonly claims: readonly (readonly [name: string, value: string])[];
  /** How many claims do not fit. */
  readonly left: number;
}

/** Encrypts it for the browser, which can't read it, and can return it for this organization only. */
export function keep<Name extends keyof Kept>(
  visit: Visit,
  organizationId: number,
  { as, what }: { readonly as: Name; readonly what: Kept[Name] },
): void {
  const text = JSON.stringify(what);
  keepInCookie(visit, { ...cookieOf(as, organizationId), text, seconds: LIFETIME_SECONDS });
}

/** Null: there is nothing, or it has expired, or it is something else. */
export function kept<Name extends keyof Kept>(
  visit: Visit,
  organizationId: number,
  as: Name,
): Kept[Name] | null {
  const text = keptInCookie(visit, cookieOf(as, organizationId));
  return text === null ? null : JSON.parse(text);
}

export function forget({ cookies, response }: Visit): void {
  cookies.clear(response, 'sign-on');
}

function cookieOf(as: keyof Kept, organizationId: number) {
  return { name: 'sign-on', context: `${as} of the sign-on of organization ${organizationId}` } as const;
}
