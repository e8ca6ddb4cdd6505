import { CommanderError } from 'commander'
import { DomainError } from '#core/errors.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import { agoText } from '#core/time/format-time.ts'
import { ConfigError } from '#platform/config.ts'
import { EXIT, exitCodeOf, exitCodeOfProblem } from '../exit-codes.ts'
import { printableLines } from '../views/format.ts'
import { describeProblem } from './api-answers.ts'
import { ApiProblem } from './api-problem.ts'
import type { KeptToken } from './credentials.ts'

/** Returns the lines of a failed command on standard error, and its exit code; undefined for an unexpected error. */
export function describeFailure(error: unknown, json: boolean): { lines: string[]; code: number } | undefined {
  if (error instanceof ConfigError) {
    const lines = error.problems.map(({ name, got, takes }) => `  ${name} is ${got}; it takes ${takes}`)
    const detail = 'The settings cannot be used'
    const problem = problemJson('invalid_settings', detail, { errors: error.problems })
    return { lines: json ? [problem] : [`${detail}:`, ...lines], code: EXIT.config }
  }
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return { lines: [], code: EXIT.ok }
    const detail = error.message.replace(/^error: /, '')
    // in text mode the library has printed the error already
    return { lines: json ? [problemJson('validation_failed', detail)] : [], code: EXIT.usage }
  }
  if (error instanceof ApiProblem) return { lines: describeProblem(error, json), code: exitCodeOfProblem(error) }
  if (!(error instanceof DomainError)) return undefined
  const lines = json ? [problemJson(error.code, error.message)] : printableLines(error.message)
  return { lines, code: exitCodeOf(error.code) }
}

/** RFC 9457, of what this side found wrong. */
function problemJson(code: string, detail: string, more: object = {}): string {
  return visibleJson({ type: `/problems/${code}`, title: detail.split('\n')[0], detail, code, ...more })
}

/** Returns advice after a refused token, and the reason where the token shows it. */
export function signInAdvice(
  { token, kept }: { token: string | undefined; kept: KeptToken | undefined },
  now: number,
): string {
  if (token !== undefined) {
    const expired = expiryOf(token)
    return expired !== undefined && Date.parse(expired) <= now
      ? `The token in SVC_TOKEN expired ${agoText(expired, now)}: set a new one, or unset it and log in with: svc login`
      : 'SVC_TOKEN holds the token that was refused: set another one, or unset it and log in with: svc login'
  }
  if (kept === undefined || Date.parse(kept.expires_at) > now) return 'Log in with: svc login'
  return `Your token of ${kept.email} expired ${agoText(kept.expires_at, now)}. Log in again with: svc login --email ${kept.email}`
}

/** Reads the expiry of a JSON Web Token; undefined for any other token. It is shown, never trusted. */
function expiryOf(token: string): string | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const exp = typeof claims === 'object' && claims !== null && 'exp' in claims ? claims.exp : undefined
    return typeof exp === 'number' ? new Date(exp * 1_000).toISOString() : undefined
  } catch {
    return undefined
  }
}
