import { DataTable } from '../design/components.js';

const mails = [
  {
    what: 'A link to choose a new password',
    who: 'someone who asks for it on the sign-in page',
    limit: '3 in 15 minutes per address',
  },
  { what: 'Your password was changed', who: 'the person', limit: '–' },
  {
    what: 'An invitation',
    who: 'the invited person, if an admin ticks the box',
    limit: '3 a day per person, 200 a day per organization',
  },
  { what: 'The access key was replaced', who: 'owners', limit: '10 an hour per owner, 100 per organization' },
  { what: 'The webhook fails, and works again', who: 'owners', limit: 'as above' },
] as const;

/** The mails that the service sends, and what happens without a mail server. */
export function Mails() {
  return (
    <>
      <p>
        The service sends mail only if its operator has set a mail server. The API sends none: you send
        invitation and login links yourself.
      </p>
      <DataTable
        caption="Mails"
        columns={[
          { title: 'Mail', cell: ({ what }) => what },
          { title: 'To', cell: ({ who }) => who },
          { title: 'Limit', cell: ({ limit }) => limit },
        ]}
        rows={mails}
        keyOf={({ what }) => what}
      />
      <p>
        An invitation beyond its limit is made but not mailed, and the page says so. Owners get their mails
        later.
      </p>
      <p>
        Operators set <code>SMTP_URL</code>, such as <code>smtps://user:password@mail.example.com</code>, and{' '}
        <code>MAIL_FROM</code>, the sender’s address. While the mail server is away, mails wait in the
        database: the service tries again after 30 seconds, then less and less often, up to every 15 minutes,
        and gives up after 3 days or when the server refuses the address. Mails that are no longer true are
        not sent.
      </p>
    </>
  );
}
