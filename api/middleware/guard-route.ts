import type { Actor } from '#core/actor.ts'
import { keyNeedOf } from '#core/api-key/scopes.ts'
import { DomainError } from '#core/errors.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { ANONYMOUS } from '#services/auth/authenticator.ts'
import { holdsScope, mayEnter, mustBe, mustHoldScope, readsRecords } from '#services/auth/may.ts'
import { placeOf, type WorkspaceEntry } from '#services/workspaces/workspace-directory.ts'
import { type ApiContext, type ApiVariables, channelOf } from '../context.ts'
import { clientIp } from '../request-origin.ts'
import { claimedSession } from '../session-cookie.ts'
import { addressOf } from '../workspace-address.ts'

type GuardedRoute = NonNullable<ApiVariables['route']>

/** Verifies a signature in place of a bearer token: returns the actor, or undefined when the request has none. */
export type VerifySignature = (c: ApiContext) => Promise<Actor | undefined>

/** Settles who acts and in which workspace, before anything of the request is believed; every declared route begins with it. */
export function guardRoute(route: GuardedRoute, verify?: VerifySignature): (c: ApiContext) => Promise<void> {
  return async (c) => {
    mustBeMeant(c, route)
    c.set('route', route)
    const actor = await actorFor(c, route, verify)
    const workspace = await enterWorkspace(c, route, actor)
    c.set('actor', actor)
    c.set('ctx', {
      ...c.get('verbs'),
      actor,
      workspace_id: workspace.id,
      ...placeOf(workspace.entry),
      channel: channelOf(actor),
      request_id: c.get('request_id'),
    })
    c.set('still_allowed', () => stillAllowed(c, route, verify, workspace.id))
    c.set('key_holds', actor.key === undefined ? undefined : () => keyHolds(c))
  }
}

/** A request from inside names the operation that it is for: no path leads it to another one. */
function mustBeMeant(c: ApiContext, { operationId }: GuardedRoute): void {
  const only = c.env?.only
  if (only !== undefined && only !== operationId)
    throw new DomainError('not_found', `asked for ${only}, and came to ${operationId}`)
}

async function actorFor(c: ApiContext, route: GuardedRoute, verify: VerifySignature | undefined): Promise<Actor> {
  const { limiter, delivery_limiter } = c.get('deps')
  if (route.auth === 'public') {
    // public routes answer also when the caller cannot be looked up, for example health
    const actor = await callerOf(c, route).catch(() => ANONYMOUS)
    return holdsScope(actor, keyNeedOf(route)) ? actor : ANONYMOUS
  }
  const signed = await verify?.(c)
  if (signed !== undefined) return signed
  const actor = await callerOf(c, route)
  // set before the checks below, so that a refused caller is known
  c.set('actor', actor)
  await (route.delivers ? delivery_limiter : limiter).take(actor.id)
  mustHoldScope(actor, keyNeedOf(route))
  // an auditor reads what a GET lists; a read by POST computes something, and takes its role
  const audited = route.access === 'read' && c.req.method === 'GET' && readsRecords(actor)
  if (!audited) mustBe(actor, route.auth === 'signature' ? 'operator' : route.auth)
  return actor
}

/** Returns the caller: a bearer token comes first; without one the session of a browser counts. */
async function callerOf(c: ApiContext, route: GuardedRoute): Promise<Actor> {
  const { auth } = c.get('deps')
  const session = takesSession(c, route) ? await claimedSession(c) : undefined
  return session === undefined
    ? await auth.actor(c.req.header('authorization'), clientIp(c))
    : await auth.person(session)
}

/** Links and signed deliveries prove themselves, and other tools' wire formats know no console. */
function takesSession(c: ApiContext, route: GuardedRoute): boolean {
  return route.auth !== 'signature' && route.access !== 'callback' && !/^\/(v1|mcp)(\/|$)/.test(c.req.path)
}

interface Entered {
  id: string
  /** undefined where it was not read: a public route without a named workspace */
  entry: WorkspaceEntry | undefined
}

/** Returns the workspace of the path, the header or the caller's home, which must agree with each other and with the caller. */
async function enterWorkspace(c: ApiContext, route: GuardedRoute, actor: Actor): Promise<Entered> {
  const inPath = addressOf(c.get('full_path')).workspace_id
  const inHeader = c.req.header('x-svc-workspace')
  if (inPath !== undefined && inHeader !== undefined && inPath !== inHeader) {
    throw new DomainError('workspace_conflict', 'The path and the header X-Svc-Workspace name different workspaces.')
  }
  const named = inPath ?? inHeader
  // a public route requires no workspace, so that it does not reveal which ones exist, or let a caller choose where a
  // sign-in is recorded
  if (route.auth === 'public' && (named === undefined || actor === ANONYMOUS)) {
    return { id: homeOf(actor) ?? DEFAULT_WORKSPACE_ID, entry: undefined }
  }
  return enterNamed(c, route, actor, named ?? homeOf(actor))
}

async function enterNamed(c: ApiContext, route: GuardedRoute, actor: Actor, id: string | undefined): Promise<Entered> {
  if (id === undefined || !mayEnter(actor, id)) {
    throw new DomainError('not_found', 'the caller has no such workspace', { refused: 'workspace' })
  }
  const found = await c.get('deps').workspaces.find(id)
  if (found === undefined) throw new DomainError('not_found', 'there is no such workspace')
  const changes = route.access === 'write' && route.scope !== 'account' && !route.only_ends
  if (found.status === 'archived' && changes) {
    throw new DomainError('workspace_archived', 'The workspace is archived: nothing in it can change.')
  }
  return { id, entry: found }
}

function homeOf(actor: Actor): string | undefined {
  return actor.workspaces === '*' ? DEFAULT_WORKSPACE_ID : actor.workspaces[0]
}

/**
 * Tells whether the caller of an open stream may still read it: the checks of a new request, about the workspace of the stream, wherever
 * the caller's home is now. Anything but a clear yes is a no.
 */
async function stillAllowed(
  c: ApiContext,
  route: GuardedRoute,
  verify: VerifySignature | undefined,
  workspaceId: string,
): Promise<boolean> {
  try {
    await enterNamed(c, route, await actorFor(c, route, verify), workspaceId)
    return true
  } catch {
    return false
  }
}

/** Tells whether the key of a stream is still valid; its rights are checked with the rest. */
async function keyHolds(c: ApiContext): Promise<boolean> {
  const { auth } = c.get('deps')
  return await auth.actor(c.req.header('authorization'), clientIp(c)).then(
    () => true,
    () => false,
  )
}
