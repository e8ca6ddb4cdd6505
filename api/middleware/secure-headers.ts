import { secureHeaders as honoSecureHeaders } from 'hono/secure-headers'

/** Answers are data: nothing in them may run, be framed or be guessed at. The docs page sets its own policy. */
export const secureHeaders = honoSecureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  referrerPolicy: 'no-referrer',
  xFrameOptions: 'DENY',
  crossOriginResourcePolicy: 'same-origin',
})
