import {
  type AskedPasskey,
  type AskedSecondFactor,
  type PasskeyAnswer,
  Refusal,
  type SecondFactorProof,
} from '@rollcall/core';
import { secondStepLifetimeMs } from '@rollcall/core/rules';
import { Button } from '../design/components.js';
import { Field } from '../design/form.js';
import type { Visit } from '../visit.js';

/** The code of an app, or a recovery code, which has letters. */
export const CODE = 'second_factor';
const RECOVERY_CODE = 'recovery_code';
/** The answer of a passkey, which the script fills in, and what was asked. */
const PASSKEY = 'passkey';
const CHALLENGE = 'passkey_challenge';
/** As long as a challenge can be answered. */
const LIFETIME_SECONDS = secondStepLifetimeMs / 1000;

/** For the problems of forms with `SecondFactorFields`. */
export const secondFactorLabels = { secondFactor: 'Code' } as const;

/** Asks for a second factor. Passkeys need the script; codes do not. */
export function SecondFactorFields({
  visit,
  asked: { passkey, hasCode },
  problem,
}: Readonly<{ visit: Visit; asked: AskedSecondFactor; problem?: string | undefined }>) {
  const isRecovery = problem !== undefined && recoveryCodeIn(visit) !== '';
  return (
    <>
      {passkey !== null && <PasskeyButton {...{ visit, passkey }} label="Use a passkey" />}
      {hasCode ? (
        <>
          <Field
            name={CODE}
            label="Code"
            autocomplete="one-time-code"
            inputmode="numeric"
            problem={isRecovery ? undefined : problem}
            isRequired={passkey === null}
            help="From your authenticator app. Each code works once: if you have used yours, wait for the next one."
          />
          <details open={isRecovery}>
            <summary>Use a recovery code instead</summary>
            <Field
              name={RECOVERY_CODE}
              label="Recovery code"
              problem={isRecovery ? problem : undefined}
              isRequired={false}
            />
          </details>
        </>
      ) : (
        <Field
          name={CODE}
          label="Recovery code"
          problem={problem}
          isRequired={passkey === null}
          help="Only if you have lost your passkeys."
        />
      )}
    </>
  );
}

interface PasskeyButtonProps {
  readonly visit: Visit;
  readonly passkey: AskedPasskey;
  readonly label: string;
  readonly kind?: 'primary' | 'secondary';
}

/** Only the script shows the button. The form is sent with the answer of the browser. */
export function PasskeyButton({ visit, passkey: { challenge, publicKey }, label, kind }: PasskeyButtonProps) {
  const text = JSON.stringify(challenge);
  const encrypted = visit.browserCipher.encrypt({ text, context: CHALLENGE, expiresIn: LIFETIME_SECONDS });
  return (
    <div class="field">
      <input type="hidden" name={CHALLENGE} value={encrypted} />
      <input type="hidden" name={PASSKEY} value="" />
      <Button
        kind={kind}
        type="button"
        hidden
        data-passkey={challenge.to}
        data-options={JSON.stringify(publicKey)}
      >
        {label}
      </Button>
      <p class="secondary-text" data-without-passkeys>
        Passkeys need JavaScript and a current browser.
      </p>
    </div>
  );
}

/** The answer of a passkey; null: there is none. */
export function passkeyAnswerIn(visit: Visit): PasskeyAnswer | null {
  const response = visit.field(PASSKEY);
  if (response === '') return null;
  const encrypted = visit.field(CHALLENGE);
  const text = visit.browserCipher.decrypt({ encrypted, context: CHALLENGE });
  if (text === null)
    throw new Refusal('wrong-second-factor', 'This page was open for too long. Use your passkey again');
  return { challenge: JSON.parse(text), response };
}

/** What was given as the second factor. Null: the form does not ask for it. */
export function askedFactorIn(visit: Visit): SecondFactorProof | null {
  return CODE in visit.request.body ? secondFactorIn(visit) : null;
}

export function secondFactorIn(visit: Visit): SecondFactorProof {
  const passkey = passkeyAnswerIn(visit);
  if (passkey !== null) return { passkey };
  // Browsers fill in the other code by themselves.
  const code = recoveryCodeIn(visit) || visit.field(CODE).trim();
  if (code !== '') return { code };
  throw new Refusal('invalid-request', [
    { field: 'secondFactor', code: 'empty', message: 'must not be empty' },
  ]);
}

function recoveryCodeIn(visit: Visit): string {
  return visit.field(RECOVERY_CODE).trim();
}
