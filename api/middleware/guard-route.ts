import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { ANONYMOUS } from '#services/auth/authenticator.ts'
import { mayEnter, mustBe } from '#services/auth/may.ts'
import { channelOf } from '../channel-of.ts'
import type { ApiContext, ApiVariables } from '../context.ts'
import { addressOf } from '../workspace-address.ts'

type GuardedRoute = NonNullable<ApiVariables['route']>

/** A signature that stands in for a bearer token: the actor it proves, or undefined when the request carries none. */
export type VerifySignature = (c: ApiContext) => Promise<Actor | undefined>

/** A refusal as an answer in the format of the route, or undefined for the usual one. */
export type RefusalAnswer = (error: DomainError, c: ApiContext) => Response | undefined

/** Settles who acts and in which workspace, before anything of the request is believed; every declared route begins with it. */
export function guardRoute(route: GuardedRoute, verify?: VerifySignature): (c: ApiContext) => Promise<void> {
  return async (c) => {
    c.set('route', route)
    const actor = await actorFor(c, route, verify)
    const workspace = await enterWorkspace(c, route, actor)
    c.set('actor', actor)
    c.set('ctx', {
      ...c.get('verbs'),
      actor,
      workspace_id: workspace.id,
      ...(workspace.default_environment === undefined ? {} : { default_environment: workspace.default_environment }),
      channel: channelOf(actor),
      request_id: c.get('request_id'),
    })
    c.set('still_allowed', () => stillAllowed(c, route, verify, workspace.id))
  }
}

async function actorFor(c: ApiContext, route: GuardedRoute, verify: VerifySignature | undefined): Promise<Actor> {
  const { auth, limiter } = c.get('deps')
  const authorization = c.req.header('authorization')
  if (route.auth === 'public') {
    // nothing public depends on who asks: health must answer also when nobody's token can be looked up
    return await auth.actor(authorization).catch(() => ANONYMOUS)
  }
  const signed = await verify?.(c)
  if (signed !== undefined) return signed
  const actor = await auth.actor(authorization)
  // also of whom is refused below it is known who they are
  c.set('actor', actor)
  await limiter.take(actor.id)
  mustBe(actor, route.auth === 'signature' ? 'operator' : route.auth)
  return actor
}

interface Entered {
  id: string
  default_environment?: string
}

/** The workspace comes from the path, the header or the caller's own home, in agreement with each other and with the caller. */
async function enterWorkspace(c: ApiContext, route: GuardedRoute, actor: Actor): Promise<Entered> {
  const inPath = addressOf(c.get('full_path')).workspace_id
  const inHeader = c.req.header('x-svc-workspace')
  if (inPath !== undefined && inHeader !== undefined && inPath !== inHeader) {
    throw new DomainError('workspace_conflict', 'The path and the header X-Svc-Workspace name different workspaces.')
  }
  const named = inPath ?? inHeader
  if (route.auth === 'public' && named === undefined) return { id: homeOf(actor) ?? DEFAULT_WORKSPACE_ID }
  return enterNamed(c, route, actor, named ?? homeOf(actor))
}

async function enterNamed(c: ApiContext, route: GuardedRoute, actor: Actor, id: string | undefined): Promise<Entered> {
  if (id === undefined || (!mayEnter(actor, id) && route.auth !== 'public')) {
    throw new DomainError('not_found', 'the caller has no such workspace', { refused: 'workspace' })
  }
  const found = await c.get('deps').workspaces.find(id)
  if (found === undefined) throw new DomainError('not_found', 'there is no such workspace')
  const changes = route.access === 'write' && route.scope !== 'account' && !route.only_ends
  if (found.status === 'archived' && changes) {
    throw new DomainError('workspace_archived', 'The workspace is archived: nothing in it can change.')
  }
  return found
}

function homeOf(actor: Actor): string | undefined {
  return actor.workspaces === '*' ? DEFAULT_WORKSPACE_ID : actor.workspaces[0]
}

/**
 * Whether the caller of an open stream may still read it: the questions of a new request, about the workspace that the
 * stream is of, wherever the caller's home is by now. Anything but a clear yes is a no.
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
