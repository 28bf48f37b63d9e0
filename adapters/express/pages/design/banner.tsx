import type { ComponentChildren } from 'preact';
import { Icon } from './icon.js';

interface BannerProps {
  readonly tone: 'success' | 'warning' | 'error';
  /** Makes screen readers read it: `alert` at once, `status` when they have finished. */
  readonly role?: 'alert' | 'status';
  readonly title?: ComponentChildren;
  /** The banner can get the focus, for example by a link with this id. */
  readonly id?: string;
  readonly autofocus?: true;
  readonly children: ComponentChildren;
}

/** What the reader has to know before anything else on the page. */
export function Banner({ tone, role, title, id, autofocus, children }: BannerProps) {
  const target = id === undefined ? {} : { id, tabIndex: -1, autofocus };
  if (title === undefined)
    return (
      <p class={`banner ${tone}`} {...target} role={role}>
        <Icon name={tone} />
        {children}
      </p>
    );
  return (
    <div class={`banner ${tone}`} {...target} role={role}>
      <Icon name={tone} />
      <h2>{title}</h2>
      <p>{children}</p>
    </div>
  );
}
