import type { ComponentChildren } from 'preact';

interface BannerProps {
  readonly tone: 'success' | 'warning' | 'error';
  /** Makes screen readers read it: `alert` at once, `status` when they have finished. */
  readonly role?: 'alert' | 'status';
  readonly title?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** What the reader has to know before anything else on the page. */
export function Banner({ tone, role, title, children }: BannerProps) {
  if (title === undefined)
    return (
      <p class={`banner ${tone}`} role={role}>
        {children}
      </p>
    );
  return (
    <div class={`banner ${tone}`} role={role}>
      <h2>{title}</h2>
      <p>{children}</p>
    </div>
  );
}
