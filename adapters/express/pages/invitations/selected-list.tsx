import { type KnownInvitation, nameOf } from './read-invitation.js';

/** The people whose invitations will change, and how many of the selected ones will not. */
export function SelectedList({
  invitations,
  left,
}: {
  readonly invitations: readonly KnownInvitation[];
  /** The selected invitations that the action does not apply to. */
  readonly left: number;
}) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard. */}
      <ul class="selected-people" tabIndex={0} aria-label="Selected people">
        {invitations.map((invitation) => (
          <li key={invitation.id}>
            <bdi>{nameOf(invitation)}</bdi>
            <bdi class="secondary-text">{invitation.email}</bdi>
          </li>
        ))}
      </ul>
      {left > 0 && (
        <p>
          {left === 1
            ? '1 other that you selected stays as it is, because its state has changed or does not allow this.'
            : `${left} others that you selected stay as they are, because their state has changed or does not allow this.`}
        </p>
      )}
    </>
  );
}
