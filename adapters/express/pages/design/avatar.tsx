import type { PublicAddress } from '../public-address.js';

const COLOURS = 6;

interface AvatarProps {
  readonly person: { readonly id: number; readonly name: string; readonly avatar: string | null };
  readonly address: PublicAddress;
}

/** The picture that programs get for people without one, below the base path. */
const DEFAULT_AVATAR = '/assets/default-avatar.svg';

/** Shows the person's picture if it is on this service, because pages load nothing from other hosts, otherwise the initials. */
export function Avatar({ person, address }: AvatarProps) {
  const picture = person.avatar === null ? null : address.localPath(person.avatar);
  if (picture !== null && picture !== DEFAULT_AVATAR)
    return <img class="avatar" src={picture} alt="" width="32" height="32" />;
  return (
    <span class={`avatar avatar-${person.id % COLOURS}`} aria-hidden="true">
      {initialsOf(person.name)}
    </span>
  );
}

const segmenter = new Intl.Segmenter();

/** The first visible character of the first word and of the last word. */
function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return ends.map((word = '') => firstCharacter(word).toUpperCase()).join('');
}

function firstCharacter(word: string): string {
  const [first] = segmenter.segment(word);
  return first?.segment ?? '';
}
