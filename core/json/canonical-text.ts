import { canonical, wellFormed } from '../audit/canonical.ts'

/** The RFC 8785 text of any JSON value that came from outside; what every digest of ours is taken over. */
export const canonicalText = (value: unknown): string => canonical(wellFormed(value))
