import { mailParagraphs } from '@rollcall/core/adapters';
import { frameOf } from '../access.js';
import { Breakable, Empty, Facts } from '../design/components.js';
import { Timestamp } from '../design/times.js';
import type { Page } from '../page.js';
import { paths } from '../paths.js';
import type { Demo, KeptMail } from './demo.js';

export function listMails({ mails }: Demo): Page {
  return {
    path: paths.mails,
    async get(visit) {
      visit.frame = await frameOf(visit);
      visit.show(
        { title: 'Emails' },
        <h1>Emails</h1>,
        <p>This is a demo. It sends no email, and shows here what it would send.</p>,
        mails().length === 0 && (
          <Empty next={{ href: '/forgot-password', text: 'Reset a password' }}>
            No emails yet. Reset a password, or tick “Email them the link” when you invite someone. An email
            appears here within a few seconds.
          </Empty>
        ),
        mails().map((mail) => <MailView key={`${mail.at.getTime()} ${mail.to}`} {...mail} />),
      );
    },
  };
}

function MailView({ to, subject, text, at }: KeptMail) {
  const sent = (
    <>
      <Timestamp at={at} zone="UTC" hasSeconds /> UTC
    </>
  );
  return (
    <section class="card">
      <h2>{subject}</h2>
      <Facts of={{ To: <bdi>{to}</bdi>, Sent: sent }} />
      {mailParagraphs(text).map((paragraph) => (
        <p key={paragraph.text}>
          {paragraph.isUrl ? (
            <a href={paragraph.text}>
              <Breakable text={paragraph.text} />
            </a>
          ) : (
            paragraph.text
          )}
        </p>
      ))}
    </section>
  );
}
