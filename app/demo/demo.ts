import type { Secret, WebhookView } from '@rollcall/core';
import { type KeptMail, privateHost } from '@rollcall/express';
import type { Logger } from '@rollcall/node';
import { emptyDatabase } from '@rollcall/sql/maintenance';
import { ID } from '../assembly/identifiers.js';
import { type CommandContext, commandContextOf } from '../command-context.js';
import { ConfigurationError } from '../config/configuration-error.js';
import type { Environment } from '../config/rules.js';
import { type Config, readConfig } from '../config.js';
import { Failure } from '../failure.js';
import { sampleFacts } from '../sample/sample-facts.js';
import { type StartedService, startService } from '../start-service.js';
import { deleteDemoData } from './delete-demo-data.js';
import { createGuide, type Guide } from './guide.js';
import { createMailbox } from './mailbox.js';
import { countSample, demoPassword, demoPeople, isAccessKeyValid, prepareDemo } from './prepare-demo.js';
import { type Received, receiverNetworks, startReceiver } from './receiver.js';

export interface StartDemo {
  /** Only `PORT` is used, so that a demo is the same everywhere. */
  readonly environment: Environment;
  /** Removes the data of an earlier demo first. */
  readonly fresh: boolean;
  readonly log: Logger;
  readonly onLoading: () => void;
  readonly onReceived: (received: Received) => void;
  readonly onMail: (mail: KeptMail) => void;
}

/** Starts a separate service on `data/demo.db` with sample data and a webhook receiver, on 127.0.0.1 only. */
export async function startDemo({
  environment,
  fresh,
  log,
  onLoading,
  onReceived,
  onMail,
}: StartDemo): Promise<{
  readonly service: StartedService;
  readonly guide: Guide;
}> {
  if (fresh) await deleteDemoData(FILE);
  const config = demoConfig(environment);
  let context: CommandContext | null = null;
  const mailbox = createMailbox({ now: () => new Date() }, onMail);
  const receiver = await startReceiver({
    port: receiverPort(config.port),
    serviceName: config.serviceName,
    secrets: async () => (context === null ? [] : signingSecrets(context)),
    onReceived,
  });
  const prepare = async (): Promise<void> => {
    if (context === null) throw new Error('the service has not been assembled');
    await prepareDemo({ context, receiverUrl: receiver.url, onLoading });
  };
  const replaceData = async (): Promise<void> => {
    if (context !== null) await emptyDatabase(context.database);
    mailbox.empty();
    await prepare();
  };
  let replacing: Promise<void> | null = null;
  /** Visitors who start it again at the same time do so once. */
  const startAgain = (): Promise<void> => {
    replacing ??= replaceData().finally(() => {
      replacing = null;
    });
    return replacing;
  };
  try {
    const service = await startService({
      config,
      log,
      migrate: true,
      override(container) {
        container.rebind(ID.localReceivers).toConstantValue({
          networks: receiverNetworks,
          certificateAuthorities: [receiver.certificate],
        });
        // Its mails and its access key are for everyone who can reach it.
        container.rebind(ID.publicHostProblem).toConstantValue(privateHost([]));
        container.rebind(ID.mailer).toConstantValue(mailbox);
        container.onActivation(ID.pagesOptions, (_, options) => ({
          ...options,
          demo: { mails: mailbox.mails, people: demoPeople, password: demoPassword, startAgain },
          publishedOrganization: {
            ...sampleFacts.organization,
            isAccessKeyValid: async () => context !== null && isAccessKeyValid(context),
          },
        }));
        container.rebind(ID.preparation).toConstantValue(async () => {
          context = commandContextOf(container);
          await prepare();
        });
      },
    });
    if (context === null) throw new Error('the demo was not prepared');
    const guide = createGuide({
      publicUrl: config.publicUrl,
      database: config.database.engine === 'sqlite' ? config.database.file : config.database.url,
      counts: countSample(context),
      receiverUrl: receiver.url,
      webhook: await webhookOf(context),
      isAccessKeyValid: await isAccessKeyValid(context),
    });
    const stop = async (): Promise<void> => {
      await service.stop();
      await receiver.stop();
    };
    return { service: { ...service, stop }, guide };
  } catch (error) {
    await receiver.stop();
    throw error;
  }
}

const FILE = 'data/demo.db';
const SERVICE_NAME = 'Rollcall';

function demoConfig({ PORT }: Environment): Config {
  try {
    return readConfig(
      { PORT, SERVICE_NAME, DATABASE_URL: `sqlite:${FILE}`, LOG_LEVEL: 'warn' },
      () => undefined,
    );
  } catch (error) {
    const isAboutKey = error instanceof ConfigurationError && error.problems[0]?.name === 'SECRET_KEY';
    if (isAboutKey !== true) throw error;
    throw new Failure(`${FILE}.key is missing or damaged. Start with new data: rollcall demo --fresh`);
  }
}

/** Derives the receiver's port from the service's, so that a second start prints the same URL. */
function receiverPort(port: number): number {
  return port + 443 <= 65535 ? port + 443 : port - 443;
}

function webhookOf({ core }: CommandContext): Promise<WebhookView | null> {
  return core.readWebhook({ organization: sampleFacts.organization });
}

/** The secrets that an endpoint needs now: a visitor may have rotated the secret, and kept the old one in use. */
async function signingSecrets({
  clock,
  ports: { webhooks, secrets },
}: CommandContext): Promise<readonly Secret[]> {
  const organizationId = sampleFacts.organization.id;
  const webhook = await webhooks.of(organizationId);
  if (webhook === null) return [];
  const { encryptedSecret, previousSecret } = webhook;
  const isRotating = previousSecret !== null && previousSecret.until > clock.now();
  const encrypted = isRotating ? [encryptedSecret, previousSecret.encrypted] : [encryptedSecret];
  return encrypted.map((one) => secrets.decrypt({ encrypted: one, organizationId }));
}
