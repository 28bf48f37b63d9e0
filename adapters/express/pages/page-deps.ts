import type { Core, ErrorTracker } from '@rollcall/core';
import type { Cookies } from './cookies.js';
import type { Demo } from './demo/demo.js';
import type { AssetLinks } from './design/assets.js';
import type { ApiFacts } from './docs/api-facts.js';
import type { PageKind, SetHeaders } from './page-headers.js';
import type { PublicAddress } from './public-address.js';
import type { VisitLimits } from './visit-limits.js';

/** Tokens against forged forms. Each is valid only with the value of one cookie. */
export interface FormTokens {
  issue(cookieValue: string): string;
  matches(cookieValue: string, token: string): boolean;
}

/** Encrypts short texts that the browser keeps for the service. */
export interface BrowserCipher {
  /** `context` says what the text is for. Cannot be decrypted after `expiresIn` seconds. */
  encrypt(input: { readonly text: string; readonly context: string; readonly expiresIn: number }): string;
  /** Null for a text that has expired, is for another context, or was not encrypted here. */
  decrypt(input: { readonly encrypted: string; readonly context: string }): string | null;
}

/** An organization whose access key the guide may show, because it is published anyway, as in the demo. */
export interface PublishedOrganization {
  readonly id: number;
  readonly accessKey: string;
  /** False if someone has replaced the key. */
  isAccessKeyValid(): Promise<boolean>;
}

/** What all pages know, whatever the request. */
export interface PageDeps {
  readonly core: Core;
  readonly formTokens: FormTokens;
  readonly browserCipher: BrowserCipher;
  readonly errorTracker: ErrorTracker;
  /** The brand that pages show. */
  readonly serviceName: string;
  /** Whether the service sends mail, so that a forgotten password can be reset. */
  readonly sendsMail: boolean;
  /** The page of the platform where a meeting is managed, with `{id}` for its number. Null: there is none. */
  readonly meetingUrl: string | null;
  /** Where people get help from the operator. Null: the pages do not know. */
  readonly supportUrl: string | null;
  /** The zone of exports for organizations that have not chosen one. */
  readonly defaultTimeZone: string;
  readonly address: PublicAddress;
  readonly cookies: Cookies;
  readonly assets: AssetLinks;
  readonly setHeaders: Readonly<Record<PageKind, SetHeaders>>;
  readonly visitLimits: VisitLimits;
  readonly publishedOrganization?: PublishedOrganization | undefined;
  /** Makes this a demo: everyone may read its mails, sign in, and start it again. */
  readonly demo?: Demo | undefined;
  readonly facts: () => ApiFacts;
}
