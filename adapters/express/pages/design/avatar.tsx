import type { User } from '@rollcall/core';
import { initialOf } from '@rollcall/core/rules';
import type { PublicAddress } from '../public-address.js';

const COLOURS = 6;

interface AvatarProps {
  readonly person: { readonly id: number; readonly name: string; readonly avatar: string | null };
  readonly address: PublicAddress;
}

export function nameOf({ firstName, lastName }: Pick<User, 'firstName' | 'lastName'>): string {
  return `${firstName} ${lastName}`;
}

/** A link with the name of a person, which may be written from right to left. */
export function NameLink({ to, of }: Readonly<{ to: string; of: Parameters<typeof nameOf>[0] }>) {
  return (
    <a href={to}>
      <bdi>{nameOf(of)}</bdi>
    </a>
  );
}

/** The picture that programs get for people without one, below the base path. */
const DEFAULT_AVATAR = '/assets/default-avatar.svg';

/** Shows the person's picture if it is on this service, because pages load nothing from other hosts, otherwise the initials. */
export function Avatar({ person, address }: AvatarProps) {
  const picture = person.avatar === null ? null : address.localPath(person.avatar);
  if (picture !== null && picture !== DEFAULT_AVATAR)
    return <img class="avatar" src={picture} alt="" width="32" height="32" />;
  return (
    <>
      <span class={`avatar avatar-${person.id % COLOURS}`} aria-hidden="true">
        {initialsOf(person.name)}
      </span>{' '}
    </>
  );
}

/** The initials of the first word and of the last word that have one. */
function initialsOf(name: string): string {
  const initials = name.split(/\s+/).flatMap((word) => initialOf(word) ?? []);
  return (initials.length > 1 ? [initials[0], initials.at(-1)] : initials).join('');
}
