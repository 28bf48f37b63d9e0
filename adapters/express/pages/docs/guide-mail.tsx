import { DataTable } from '../design/components.js';

const TO_OWNERS = '10 an hour per owner, 100 an hour per organization';

const mails = [
  {
    what: 'A link to choose a new password',
    who: 'Anyone who asks for it on the sign-in page',
    limit: '3 in 15 minutes per address',
  },
  { what: 'Your password was changed', who: 'The person', limit: 'None' },
  {
    what: 'An invitation',
    who: 'The invited person, if an admin ticks the box',
    limit: '3 a day per person, 200 a day per organization',
  },
  { what: 'The access key was replaced', who: 'Owners', limit: TO_OWNERS },
  { what: 'The webhook fails, and works again', who: 'Owners', limit: TO_OWNERS },
] as const;

/** The mails that the service sends, and what happens without a mail server. */
export function Mails() {
  return (
    <>
      <p>
        The service sends emails only if its operator has set a mail server. The API sends none: you send
        invitation and login links yourself.
      </p>
      <DataTable
        caption="Emails"
        columns={[
          { title: 'Email', cell: ({ what }) => what },
          { title: 'To', cell: ({ who }) => who },
          { title: 'Limit', cell: ({ limit }) => limit },
        ]}
        rows={mails}
        keyOf={({ what }) => what}
      />
      <p>
        An invitation beyond the limit is created but not emailed, and the page says so. Owners get their
        emails later.
      </p>
      <p>
        Operators set <code>SMTP_URL</code>, such as <code>smtps://user:password@mail.example.com</code>, and{' '}
        <code>MAIL_FROM</code>, the sender’s address. While the mail server is away, emails wait in the
        database. The service tries again after 30 seconds, then less and less often, up to every 15 minutes.
        It gives up after 3 days, or when the server refuses the address. Emails that are no longer true are
        not sent.
      </p>
    </>
  );
}
