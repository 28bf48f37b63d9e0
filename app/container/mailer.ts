import { smtpMailer } from '@rollcall/node';
import { type Bindings, provide } from './bindings.js';

export const mailerModule = {
  mailer: provide(['config'], ({ config: { mail, serviceName, publicUrl } }) =>
    mail === null ? null : smtpMailer({ ...mail, senderName: serviceName, publicUrl }),
  ),
} satisfies Bindings;
