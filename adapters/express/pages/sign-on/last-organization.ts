import type { Visit } from '../visit.js';

const LIFETIME_SECONDS = 180 * 24 * 60 * 60;

/** Has the sign-in page offer the organization. Its number tells nothing about who signed in. */
export function rememberOrganization({ cookies, response }: Visit, organizationId: number): void {
  const value = String(organizationId);
  cookies.set(response, { name: 'organization', value, seconds: LIFETIME_SECONDS });
}

/** Null: nobody has signed in at an organization in this browser. */
export function lastOrganization({ cookies, request }: Visit): number | null {
  const number = cookies.read(request, 'organization') ?? '';
  return /^[1-9]\d{0,14}$/.test(number) ? Number(number) : null;
}

export function forgetOrganization({ cookies, response }: Visit): void {
  cookies.clear(response, 'organization');
}
