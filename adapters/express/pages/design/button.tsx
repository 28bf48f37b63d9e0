import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';

/**
 * What a button means. Primary: the one thing that the view is for. Secondary: everything else. Quiet: conveniences beside
 * other controls. Destructive: what can't be undone, which only a confirmation page does.
 */
export type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'destructive';

interface Look {
  readonly kind: ButtonKind;
  /** For tables and rows of controls. */
  readonly isSmall?: boolean | undefined;
}

interface ButtonProps extends Look, Omit<ButtonHTMLAttributes, 'class' | 'type' | 'isSmall'> {
  readonly children: ComponentChildren;
  /** The default sends the form. */
  readonly type?: 'submit' | 'button';
  /** Shown while the form is being sent, with script. */
  readonly busy?: string;
}

export function Button({ kind, isSmall, type = 'submit', busy, children, ...attributes }: ButtonProps) {
  return (
    <button type={type} class={classOf({ kind, isSmall })} {...attributes} data-busy={busy}>
      {children}
    </button>
  );
}

interface ButtonLinkProps extends Look {
  readonly href: string;
  /** Replaces the text for screen readers. */
  readonly label?: string;
  /** Whether the link leads to another site, which is not told where the reader came from. */
  readonly isExternal?: boolean;
  readonly children: ComponentChildren;
}

/** A link that looks like a button: it leads to the page where something is done. */
export function ButtonLink({ kind, isSmall, href, label, isExternal = false, children }: ButtonLinkProps) {
  return (
    <a
      href={href}
      class={classOf({ kind, isSmall })}
      aria-label={label}
      rel={isExternal ? 'noreferrer' : undefined}
    >
      {children}
    </a>
  );
}

function classOf({ kind, isSmall = false }: Look): string {
  return `button ${kind}${isSmall ? ' small' : ''}`;
}
