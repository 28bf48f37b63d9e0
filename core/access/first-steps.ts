/** The newest of these says whether the steps are hidden. */
export const visibilityActions = ['first-steps-hidden', 'first-steps-shown'] as const;
