import type { Actor } from '#core/actor.ts'
import type { SessionClaims } from '#platform/sessions.ts'

/** Identifies the caller of a request. With authentication off every caller is the local owner. */
export interface Authenticator {
  readonly enabled: boolean
  /** The actor behind an `Authorization` header (RFC 6750), and where it came from. Throws `unauthenticated`, `rate_limited`. */
  actor(authorization: string | undefined, ip?: string): Promise<Actor>
  /** Returns the user of a verified session. Throws `unauthenticated`. */
  person(session: SessionClaims): Promise<Actor>
}

/** The client of sessions, so that their actions are recorded as the console's. */
export const CONSOLE_CLIENT = 'svc-console'

/** The actor while authentication is off: one local owner, whose identity is not checked. */
export const LOCAL_ACTOR: Actor = {
  type: 'user',
  id: 'usr_local',
  display: 'local',
  account_id: 'acc_local',
  roles: ['owner'],
  approval_roles: [],
  scopes: [],
  workspaces: '*',
  auth: 'none',
}

/** The actor of a public route, without an identity. */
export const ANONYMOUS: Actor = {
  type: 'system',
  id: 'anonymous',
  display: 'anonymous',
  account_id: '',
  roles: [],
  approval_roles: [],
  scopes: [],
  workspaces: [],
  auth: 'none',
}
