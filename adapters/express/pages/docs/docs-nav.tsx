/** Links between the two pages of the docs, and to the dashboard. */
export function DocsNav({ current }: { readonly current: 'reference' | 'guide' }) {
  const pages = [
    { name: 'reference', title: 'Reference', href: '/docs' },
    { name: 'guide', title: 'Guide', href: '/docs/guide' },
  ];
  return (
    <nav class="docs-nav" aria-label="Documentation">
      {pages.map(({ name, title, href }) => (
        <a key={name} href={href} {...(name === current && { 'aria-current': 'page' as const })}>
          {title}
        </a>
      ))}
      <a class="dashboard-link" href="/">
        Dashboard
      </a>
    </nav>
  );
}
