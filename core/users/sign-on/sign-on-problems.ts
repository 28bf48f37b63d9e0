import type { Field, Problem } from '../../values/problem.js';
import { isStorable, textProblem } from '../../values/text.js';

/** The settings as they were received. */
export interface RequestedSignOn {
  /** The issuer that the provider's tokens name, an https URL. */
  readonly issuer: unknown;
  /** The id under which the provider knows this service. */
  readonly clientId: unknown;
  /** The client secret; null or empty keeps the stored one. */
  readonly clientSecret: unknown;
  /** The claim whose value is the `idpId` of members. */
  readonly idClaim: unknown;
  /** Google only: the domain of the organization; null or empty: none. */
  readonly hostedDomain: unknown;
  /** `provisioned` or `anyone`. */
  readonly admits: unknown;
  /** The authentication context that tokens must name; null or empty: any. */
  readonly acr: unknown;
  /** A day such as `2027-01-31`; null or empty: not known. */
  readonly secretExpiresOn: unknown;
}

/** The name of a claim, also one that is a URL. */
const CLAIM = /^[\w:./-]{1,100}$/;
const DOMAIN = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i;
const GOOGLE = 'https://accounts.google.com';

/** Paths of Microsoft's issuers that stand for several tenants; the UUID is that of all personal accounts. */
const MICROSOFT =
  /^(login\.microsoftonline\.(com|us)|login\.partner\.microsoftonline\.cn|sts\.windows\.net|login\.windows\.net)$/;
const SEVERAL_TENANTS = /^\/(common|organizations|consumers|9188040d-6c67-4c5b-b112-36a304b66dad)(\/|$)/i;
/** Whose issuers anyone can have an account with. */
const OPEN_TO_ALL: readonly string[] = [
  'account.apple.com',
  'api.login.yahoo.com',
  'appleid.apple.com',
  'gitlab.com',
  'login.live.com',
  'login.salesforce.com',
  'slack.com',
  'token.actions.githubusercontent.com',
  'www.facebook.com',
  'www.linkedin.com',
];

/** What is wrong with the settings. `hasSecret`: one is stored, which can be kept. */
export function signOnProblems(
  { issuer, clientId, clientSecret, idClaim, hostedDomain, admits, acr, secretExpiresOn }: RequestedSignOn,
  { hasSecret }: { readonly hasSecret: boolean },
): readonly (Problem | null)[] {
  return [
    issuerProblem(issuer),
    textProblem('clientId', clientId, { maxCharacters: 255 }),
    isLeftOut(clientSecret) ? (hasSecret ? null : required('clientSecret')) : secretProblem(clientSecret),
    matches('idClaim', idClaim, CLAIM, 'must be the name of a claim, such as sub or oid'),
    domainProblem(hostedDomain, issuer),
    admits === 'provisioned' || admits === 'anyone'
      ? null
      : { field: 'admits', code: 'not-allowed', message: 'must be provisioned or anyone' },
    isLeftOut(acr) ? null : textProblem('acr', acr, { maxCharacters: 255 }),
    isLeftOut(secretExpiresOn) || isDay(secretExpiresOn)
      ? null
      : malformed('secretExpiresOn', 'must be a day such as 2027-01-31'),
  ];
}

export function isLeftOut(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

function required(field: Field): Problem {
  return { field, code: 'required', message: 'is required' };
}

function malformed(field: Field, message: string): Problem {
  return { field, code: 'malformed', message };
}

function matches(field: Field, value: unknown, pattern: RegExp, message: string): Problem | null {
  if (isLeftOut(value)) return required(field);
  return typeof value === 'string' && pattern.test(value) ? null : malformed(field, message);
}

function secretProblem(secret: unknown): Problem | null {
  const field = 'clientSecret';
  if (typeof secret !== 'string') return { field, code: 'wrong-type', message: 'must be a string' };
  if (secret.length > 1000) return { field, code: 'too-long', message: 'must have at most 1000 characters' };
  const isUsable = isStorable(secret) && !/[\s\p{Cc}]/u.test(secret);
  return isUsable ? null : malformed(field, 'must not contain spaces or control characters');
}

function issuerProblem(issuer: unknown): Problem | null {
  if (isLeftOut(issuer)) return required('issuer');
  const problem = textProblem('issuer', issuer, { maxCharacters: 300 });
  if (problem !== null || typeof issuer !== 'string') return problem;
  const url = readUrl(issuer);
  if (url === null || url.protocol !== 'https:')
    return malformed('issuer', 'must be an https URL such as https://north.okta.com');
  if (/\/\.well-known\//.test(url.pathname))
    return malformed('issuer', 'must be the issuer, without /.well-known/… at its end');
  if (
    url.search !== '' ||
    url.hash !== '' ||
    /[?#]/.test(issuer) ||
    url.username !== '' ||
    url.password !== ''
  )
    return malformed('issuer', 'must not contain a query, a fragment, a user or a password');
  if (/[{}]/.test(issuer) || (MICROSOFT.test(url.host) && SEVERAL_TENANTS.test(url.pathname)))
    return notAllowed('issuer', 'must name one tenant: use your tenant ID in it');
  if (OPEN_TO_ALL.includes(url.host))
    return notAllowed('issuer', 'must be your organization’s own: anyone can have an account with this one');
  return null;
}

function notAllowed(field: Field, message: string): Problem {
  return { field, code: 'not-allowed', message };
}

/** Google has one issuer for all its customers, and names the customer in a claim. */
function domainProblem(domain: unknown, issuer: unknown): Problem | null {
  const isGoogle = typeof issuer === 'string' && issuer.replace(/\/$/, '') === GOOGLE;
  if (isLeftOut(domain)) return isGoogle ? required('hostedDomain') : null;
  return matches('hostedDomain', domain, DOMAIN, 'must be a domain such as north.example');
}

function isDay(text: unknown): boolean {
  if (typeof text !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function readUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
