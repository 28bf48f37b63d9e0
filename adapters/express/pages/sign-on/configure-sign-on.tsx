import type { AskedSecondFactor, CurrentSignOn } from '@rollcall/core';
import { confirmIdentity, identityLabels, identityOf, OwnIdentity } from '../account/own-identity.js';
import {
  Actions,
  BackLink,
  Badge,
  Banner,
  Card,
  CopyText,
  Facts,
  Filters,
  Steps,
} from '../design/components.js';
import {
  choicesOf,
  DayField,
  Field,
  Form,
  type FormProblems,
  HiddenFields,
  isOutdated,
  problemsOf,
  Select,
  Submit,
} from '../design/form.js';
import { Day, Timestamp } from '../design/times.js';
import { memberForm, type ShownForm, wireName } from '../form-page.js';
import { paths, withQuery } from '../paths.js';
import type { MemberVisit, PartProps } from '../visit.js';
import { type PresetName, presetNames, presetOf, presets } from './presets.js';
import { SecretWarning } from './secret-warning.js';
import { SetupTime } from './setup-link.js';

/** The field with the version that the form showed, so that a form does not overwrite a later change. */
const UNCHANGED_SINCE = 'unchanged_since';
const NO_SIGN_ON = 'none';

/** The settings in the form. It has the client secret as well, and does not show it. */
const settings = [
  'issuer',
  'clientId',
  'idClaim',
  'hostedDomain',
  'admits',
  'acr',
  'secretExpiresOn',
] as const;
type SignOnForm = ShownForm<string, CurrentSignOn | null>;

/** How people of the organization sign in at its identity provider. */
export const configureSignOn = memberForm<string, CurrentSignOn | null>({
  path: paths.signOn(':id'),
  isForSetup: true,
  fields: [...settings.map(wireName), UNCHANGED_SINCE],
  labels: {
    issuer: 'Issuer',
    clientId: 'Client ID',
    clientSecret: 'Client secret',
    idClaim: 'Claim for the identity provider ID',
    hostedDomain: 'Google Workspace domain',
    admits: 'People who are not members yet',
    acr: 'Required authentication context (acr)',
    secretExpiresOn: 'The secret expires on',
    ...identityLabels,
  },
  seen: UNCHANGED_SINCE,
  about: ({ core, organization }) => core.readSignOn({ organization }),
  initial: (signOn, visit) => ({
    ...valuesOf(signOn ?? { idClaim: presets[presetIn(visit, null)].idClaim, admits: 'provisioned' }),
    [UNCHANGED_SINCE]: signOn?.changedAt.toISOString() ?? NO_SIGN_ON,
  }),
  async send(visit, values) {
    const { core, organization, by } = visit;
    await confirmIdentity(visit);
    const unchangedSince = versionIn(values[UNCHANGED_SINCE] ?? '');
    await core.saveSignOn({ organization, signOn: requestedIn(visit), unchangedSince, by });
    visit.leadTo(paths.signOn(organization.id), 'sign-on-saved');
  },
  problems: async (_visit, error, { labels, alsoShown }) =>
    isOutdated(error) ? outdated : problemsOf(error, labels, alsoShown),
  async show(visit, form) {
    const { organization, isSetup } = visit;
    const { about: signOn, problems } = form;
    const identity = await identityOf(visit);
    visit.show(
      { title: 'Sign-on', problems, notice: visit.consumeNotice() },
      !isSetup && <BackLink href={paths.settings(organization.id)}>Settings</BackLink>,
      <h1>Sign-on</h1>,
      <SetupTime {...{ visit }} />,
      <p>
        Your members sign in at your identity provider, over OpenID Connect (SSO), instead of with a password
        here. <a href="/docs/guide/sign-on">The guide</a> says who is let in, and what happens when someone
        leaves.
      </p>,
      signOn !== null && (
        <>
          <SecretWarning {...{ visit, signOn }} />
          <State {...{ visit, signOn }} />
        </>
      ),
      <Provider {...{ visit, form }} />,
      <Connection {...{ visit, form, identity }} />,
    );
  },
});

const outdated: FormProblems = {
  general:
    'Someone changed sign-on after you opened this page. Nothing was saved. Compare your settings with the saved ones, then save again to replace them.',
  fields: {},
};

/** A form that someone opened before there were settings, or any other text, replaces nothing. */
function versionIn(text: string): Date | null {
  const at = new Date(text);
  return text === NO_SIGN_ON ? null : Number.isNaN(at.getTime()) ? new Date(0) : at;
}

function valuesOf(shown: Partial<CurrentSignOn>): Readonly<Record<string, string>> {
  return Object.fromEntries(settings.map((name) => [wireName(name), shown[name] ?? '']));
}

function requestedIn({ field }: MemberVisit) {
  const names = [...settings, 'clientSecret'] as const;
  const typed = names.map((name) => [name, field(wireName(name)).trim()]);
  return Object.fromEntries(typed) as Record<(typeof names)[number], string>;
}

function presetIn({ request }: MemberVisit, signOn: CurrentSignOn | null): PresetName {
  return presetOf(request.query.provider, signOn?.issuer ?? null);
}

type SettingsProps = PartProps<{ form: SignOnForm; identity: AskedSecondFactor | null }>;

function State({
  visit: { organization, zone, session, isSetup },
  signOn,
}: PartProps<{ signOn: CurrentSignOn }>) {
  const { id } = organization;
  const { isOn, isRequired, tested, issuer, secretExpiresOn } = signOn;
  const mayRequire = isOn && tested?.by === session.user.id;
  return (
    <Card id="state" title="State">
      <Facts
        of={{
          'Sign-on': <StateBadge {...signOn} />,
          Issuer: <bdi>{issuer}</bdi>,
          'Last trial that passed':
            tested === null ? 'None with these settings' : <Timestamp at={tested.at} zone={zone} />,
          'The secret expires on': secretExpiresOn === null ? 'Not known' : <Day day={secretExpiresOn} />,
        }}
      />
      {isOn && !isRequired && (!mayRequire || isSetup) && (
        <p class="secondary-text">
          {isSetup
            ? 'An owner can require sign-on once they have tried it.'
            : 'You can require sign-on once you have tried it yourself.'}
        </p>
      )}
      <Actions
        secondary={{
          'Try it': paths.trySignOn(id),
          'Check the provider': paths.checkSignOn(id),
          'Turn it on': !isOn && paths.switchSignOn(id, 'on'),
          'No longer require it': isRequired && !isSetup && paths.switchSignOn(id, 'on'),
          'Require it': mayRequire && !isRequired && !isSetup && paths.switchSignOn(id, 'required'),
          'Turn it off': isOn && !isSetup && paths.switchSignOn(id, 'off'),
        }}
        destructive={{ 'Remove it': !isSetup && paths.removeSignOn(id) }}
      />
    </Card>
  );
}

export function StateBadge({ isOn, isRequired }: Pick<CurrentSignOn, 'isOn' | 'isRequired'>) {
  if (!isOn) return <Badge tone="neutral">Off</Badge>;
  return <Badge tone="success">{isRequired ? 'Required' : 'On'}</Badge>;
}

/** What to click at the provider, and what to enter there. */
function Provider({ visit, form: { about: signOn } }: Omit<SettingsProps, 'identity'>) {
  const { organization, address } = visit;
  const { id } = organization;
  const chosen = presetIn(visit, signOn);
  const choices = presetNames.map((name) => ({
    name,
    title: presets[name].title,
    href: withQuery(paths.signOn(id), { provider: name }),
  }));
  const start = `${address.url}${paths.organizationSignIn(id)}`;
  return (
    <Card id="provider" title="At your provider">
      <Filters label="Providers" choices={choices} chosen={chosen} />
      <Steps of={presets[chosen].steps} />
      <CopyText id="redirect" label="Redirect address" text={`${address.url}${paths.signOnCallback(id)}`} />
      <CopyText id="start" label="Start address, also for your members" text={start} />
      <CopyText id="logout" label="Logout address" text={`${address.url}${paths.endProviderSession(id)}`} />
    </Card>
  );
}

const admitsTexts = {
  provisioned: 'Are refused: invite them first, or import them with their ID',
  anyone: 'Become members, if no account has their address yet',
};

function Connection({ visit, form, identity }: SettingsProps) {
  const { about: signOn, values, problems, control } = form;
  const chosen = presetIn(visit, signOn);
  const preset = presets[chosen];
  const hasDomain = chosen === 'google' || values.hosted_domain !== '';
  const action = withQuery(paths.signOn(visit.organization.id), { provider: chosen });
  return (
    <Card id="connection" title="Settings">
      <Form action={action} token={visit.token} problem={problems.general}>
        <HiddenFields fields={{ [UNCHANGED_SINCE]: values[UNCHANGED_SINCE] ?? '' }} />
        {problems === outdated && signOn !== null && (
          <Banner tone="warning">
            Saved now: the issuer <bdi>{signOn.issuer}</bdi>, the client <bdi>{signOn.clientId}</bdi>, the
            claim <bdi>{signOn.idClaim}</bdi>.
          </Banner>
        )}
        <Field
          {...control('issuer')}
          type="url"
          help={`Such as ${preset.issuer}. With another issuer, everyone who signed on is signed out and linked anew.`}
        />
        <Field
          {...control('clientId')}
          {...(signOn?.isRequired && {
            help: 'With another one, sign-on is not required until you try it again.',
          })}
        />
        <Field
          {...control('clientSecret')}
          type="password"
          autocomplete="new-password"
          isRequired={signOn === null}
          help={signOn === null ? 'We store it encrypted.' : 'Leave it empty to keep the stored one.'}
        />
        <DayField
          {...control('secretExpiresOn')}
          help="We warn owners 30 days before. Leave it empty if it does not expire."
        />
        {hasDomain && <Field {...control('hostedDomain')} isRequired={false} help="Such as north.example." />}
        <Field
          {...control('idClaim')}
          help={`Its value is the person’s idp_id. With this provider, usually ${preset.idClaim}.`}
        />
        <Select {...control('admits')} choices={choicesOf(admitsTexts)} />
        <Field
          {...control('acr')}
          isRequired={false}
          help="Only if your provider names how people signed in. Leave it empty for any."
        />
        <OwnIdentity {...{ visit, identity, problems }} />
        <Submit label="Save" busy="Saving …" />
      </Form>
    </Card>
  );
}
