// Invites someone and lists the members: node partner.mjs <URL of the service> <organization> <access key>
import { ApiError, createClient } from '@rollcall/contracts/client';

const [, , url, id, accessKey] = process.argv;
const rollcall = createClient({ baseUrl: `${url}/api/v2`, accessKey });
const params = { path: { id } };
try {
  const { user } = await rollcall.post('/organizations/{id}/invite_user', {
    params,
    body: { email: 'dana@example.test', first_name: 'Dana', last_name: 'Kim' },
  });
  process.stdout.write(`Send ${user.email} this link: ${user.invitation_url}\n`);
  for await (const member of rollcall.items('/organizations/{id}/users', { params }))
    process.stdout.write(`${member.id} ${member.email}\n`);
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  process.stderr.write(`${error.status} ${error.code} ${error.message}\n`);
  process.exitCode = 1;
}
