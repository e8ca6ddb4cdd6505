import { type ConnectionSettings, providerOf } from '#core/connection/kind-schema.ts'
import type { ConnectionRecord } from '#core/connection/schema.ts'
import type { ConnectionBox } from '#platform/connection-box.ts'
import type { ConnectionRow } from '#store/connections/connections.ts'

/** Why a connection cannot be used, or soon cannot, and what to do. */
export interface ConnectionProblem {
  what: string
  fix: string
  /** a step that uses it now fails, whatever the provider answers */
  is_unusable: boolean
}

export interface Condition extends Pick<ConnectionRecord, 'status' | 'grant'> {
  problem?: ConnectionProblem
}

/** Whether it can be used, and why not, by what is known without asking. */
export function conditionOf(box: Pick<ConnectionBox, 'has'> | undefined, row: ConnectionRow): Condition {
  const lost = [row.kid, row.authorization?.kid].find((kid) => typeof kid === 'string' && box?.has(kid) !== true)
  const condition = authorizationCondition(row)
  if (lost === undefined) return condition
  const what = `its secret was sealed with key ${lost}, which is not among SVC_SECRET_KEYS`
  return { ...condition, ...failed(what, 'bring the key back, or set the secret again') }
}

export function problemText({ what, fix }: ConnectionProblem): string {
  return `${what}: ${fix}`
}

const failed = (what: string, fix: string) => ({ status: 'failed', problem: { what, fix, is_unusable: true } }) as const

function authorizationCondition(row: ConnectionRow): Condition {
  const { status, name } = row
  const authorize = `an admin authorises it again: svc connections authorize ${name}`
  if (row.auth !== 'oauth2') return testCondition(row)
  if (row.authorization === null)
    return failed('nobody has authorised it yet', `an admin must do so: svc connections authorize ${name}`)
  const { alive, ending } = row.authorization
  const grant = shownGrant(row, row.authorization)
  const { state, detail, expires_at, since, refreshable, missing_scopes } = grant
  const until = expires_at === undefined ? '' : `; its access token ends at ${expires_at}`
  const late = (what: string, fix: string): Condition => ({
    status: status === 'failed' ? status : 'degraded',
    grant,
    problem: { what, fix, is_unusable: false },
  })
  if (state === 'failed')
    return {
      status: 'failed',
      grant,
      problem: { what: `${detail}, since ${since}${alive ? until : ''}`, fix: authorize, is_unusable: !alive },
    }
  if (!alive && !refreshable)
    return { ...failed(`its access token has ended at ${expires_at}, and there is no refresh token`, authorize), grant }
  if (!alive && state !== 'active')
    return { ...late(`its access token has ended at ${expires_at}: ${detail}`, 'it is tried again'), status: 'failed' }
  if (state === 'unknown')
    return late(`${detail ?? 'a refresh did not end'}${until}`, `it is tried again then; ${authorize}, to be sure`)
  if (state !== 'active') return late(`${detail ?? 'it was not refreshed'}${until}`, 'it is tried again')
  if (missing_scopes.length > 0) return late(`the provider has not granted ${missing_scopes.join(', ')}`, authorize)
  if (ending)
    return {
      status,
      grant,
      problem: {
        what: `it ends at ${expires_at}, and there is no refresh token`,
        fix: authorize,
        is_unusable: false,
      },
    }
  return { ...testCondition(row), grant }
}

/** What its last test has found. */
function testCondition({ status, last_test, name }: ConnectionRow): Condition {
  if (last_test === null || last_test.ok) return { status }
  const what = `its last test, at ${last_test.at}, found that ${last_test.detail}`
  return { status, problem: { what, fix: `test it: svc connections test ${name}`, is_unusable: false } }
}

function shownGrant(row: ConnectionRow, stored: NonNullable<ConnectionRow['authorization']>) {
  const { authorized_by, authorized_at, scopes, state, since, detail, expires_at, refreshable, lost } = stored
  return {
    authorized_by,
    authorized_at,
    scopes,
    missing_scopes: missingScopes(row, scopes),
    state: lost ? ('unknown' as const) : state,
    since,
    ...(detail !== null && { detail }),
    ...(expires_at !== null && { expires_at }),
    refreshable,
  }
}

/** Scopes that were asked for and not granted. Many providers do not name `offline_access`, which the refresh token shows. */
export function missingScopes(
  settings: Pick<ConnectionSettings, 'auth' | 'config'>,
  granted: readonly string[],
): string[] {
  return providerOf(settings).scopes.filter((scope) => scope !== 'offline_access' && !granted.includes(scope))
}
