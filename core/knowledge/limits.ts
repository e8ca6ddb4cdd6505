/** How many hits a question is answered with, where it does not say. */
export const USUAL_HITS = 8
export const MOST_HITS = 50
