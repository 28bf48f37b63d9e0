/**
 * The highest number that the platform assigns. Datasets identify users by the platform's numbers. Users created here
 * get higher numbers. The table `platform_numbers` has those of them that the platform knows too, with its numbers.
 */
export const MAX_PLATFORM_NUMBER = 999_999_999_999;
