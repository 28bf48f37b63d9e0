import { Actions, Banner, Button, type Parent } from '../design/components.js';
import {
  type CarriedForm,
  Field,
  Form,
  type FormProblems,
  type FormToken,
  HiddenFields,
  noProblems,
} from '../design/form.js';
import { noticeOf } from '../design/notice.js';
import { Operator } from '../design/operator.js';
import { formToken } from '../form.js';
import { roleTitles } from '../members/roles.js';
import { paths, withQuery } from '../paths.js';
import { lastOrganization } from '../sign-on/last-organization.js';
import type { Visit } from '../visit.js';
import { rememberedEmail } from './remembered-email.js';

/** Says that the reader has signed in meanwhile, and wants the other form back. */
export const RESUMES = 'resumes';

interface SignInForm {
  readonly next: string | null;
  /** By default, that of the reader who signed in here last. */
  readonly email?: string;
  readonly problems: FormProblems;
  /** Another form, which is given back after signing in. */
  readonly kept: CarriedForm | null;
}

export function showSignIn(visit: Visit, form: SignInForm): void {
  const isKept = form.kept !== null && form.problems === noProblems;
  visit.showCard(
    {
      ...(isKept && { status: 403 }),
      title: 'Sign in',
      problems: form.problems,
      notice: isKept ? noticeOf('form-kept') : visit.consumeNotice(),
    },
    <SignInView {...form} visit={visit} token={formToken(visit)} />,
  );
}

type SignInProps = SignInForm & Readonly<{ visit: Visit; token: FormToken }>;

function SignInView(props: SignInProps) {
  const { visit, token, next, email = rememberedEmail(visit), problems, kept } = props;
  const isOfSetUp = kept !== null || /\/(?:sign-on|directory)\b/.test(next ?? '');
  const hasOpenedSetUp = visit.cookies.read(visit.request, 'setup') !== null;
  return (
    <>
      {isOfSetUp && hasOpenedSetUp && <SetUpClosed {...props} />}
      <Form action={`/sign-in${kept?.query ?? ''}`} token={token} problem={problems.general}>
        {next !== null && <input type="hidden" name="next" value={next} />}
        {kept !== null && <input type="hidden" name={kept.name} value={kept.value} />}
        <Field
          name="email"
          label="Email address"
          type="email"
          autocomplete="username"
          value={email}
          problem={problems.fields.email}
        />
        <Field
          name="password"
          label="Password"
          type="password"
          autocomplete="current-password"
          problem={problems.fields.password}
        />
        <Button kind="primary">Sign in</Button>
      </Form>
      <DemoSignIn {...props} />
      <AtOrganization {...props} />
      <p class="fine-print">
        {visit.sendsMail ? (
          <a href="/forgot-password">Forgot your password?</a>
        ) : (
          <>
            Forgot your password? Ask <Operator visit={visit}>the people who run this service</Operator> to
            set a new one, or ask your organization for a login link.
          </>
        )}
      </p>
      <p class="fine-print">
        Developers: <a href="/docs">API documentation</a>
      </p>
    </>
  );
}

/** For people who have no account, and came with a set-up link. */
function SetUpClosed({ kept, token }: SignInProps) {
  const closed = 'The pages of the set-up link close after five minutes. Open the link again';
  if (kept === null) return <Banner tone="warning">{closed} to go on.</Banner>;
  return (
    <Resume {...{ kept, token }} label="I have opened it again">
      <Banner tone="warning">{closed} in a new tab, and come back to this one.</Banner>
    </Resume>
  );
}

type ResumeProps = Parent<{ kept: CarriedForm; token: FormToken; label: string }>;

/** Gives the kept form back to those who have a session meanwhile. */
function Resume({ kept, token, label, children }: ResumeProps) {
  return (
    <Form action={`/sign-in${kept.query}`} token={token}>
      <HiddenFields fields={{ [kept.name]: kept.value, [RESUMES]: '1' }} />
      {children}
      <Button>{label}</Button>
    </Form>
  );
}

/** For people who signed in at their organization here before. In another tab, they lose nothing that they have typed. */
function AtOrganization({ visit, token, next, kept }: SignInProps) {
  const organization = lastOrganization(visit);
  if (organization === null) return null;
  const path = withQuery(paths.organizationSignIn(organization), next === null ? {} : { next });
  if (kept === null) return <Actions secondary={{ 'Sign in at your organization': path }} />;
  return (
    <Resume {...{ kept, token }} label="I have signed in there">
      <p>
        Or{' '}
        <a href={path} target="_blank" rel="noopener">
          sign in at your organization in a new tab
        </a>
        , and come back to this one.
      </p>
    </Resume>
  );
}

/** The people of a demo, who sign in by one press. */
function DemoSignIn({ visit: { demo }, token, next, problems }: SignInProps) {
  if (demo === undefined) return null;
  return (
    <Form action={paths.signIn} token={token}>
      <HiddenFields fields={{ password: demo.password, ...(next !== null && { next }) }} />
      {problems !== noProblems && (
        <p>
          Someone may have changed a password of this demo. <a href={paths.startAgain}>Start again</a> brings
          back the sample data.
        </p>
      )}
      <p>
        This is a demo. Everyone’s password is <code>{demo.password}</code>. Sign in as
      </p>
      <div class="actions">
        {demo.people.map(({ email, role }) => (
          <Button key={email} name="email" value={email}>
            {roleTitles[role]}
          </Button>
        ))}
      </div>
    </Form>
  );
}
