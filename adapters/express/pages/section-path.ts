const pattern =
  /^\/organizations\/[1-9]\d{0,15}(?:\/(?:meetings|export|invitations|webhooks|people))?(?=\/|$)/;

/** The address of the section of an organization to which a path belongs. Null outside organizations. */
export function sectionPath(path: string): string | null {
  return pattern.exec(path)?.[0] ?? null;
}
