import type { PageClient } from './client.js';
import type { PageSite } from './site.js';

/** The password of every user that these sites add. */
export const password = 'a good password';

/** Signs a user in with a new browser. */
export async function signInAs(site: PageSite, userId: number): Promise<PageClient> {
  const client = site.visitor();
  await client.fillIn('/sign-in', { email: `user-${userId}@example.test`, password });
  return client;
}
