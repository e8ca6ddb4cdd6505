import type { MiddlewareHandler } from 'hono'
import type { Channel } from '#core/gate/types.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { Actor } from '#services/context.ts'
import type { ApiContext, ApiEnv, ApiVariables } from '../context.ts'

/** Who acts while authentication is off: one local owner, whose identity nobody checks. */
const LOCAL_ACTOR: Actor = { type: 'user', id: 'usr_local', display: 'local', roles: ['owner'], auth: 'none' }

/** Settles who acts and in which workspace, before anything of the request is parsed; every declared route begins with it. */
export function guardRoute(route: NonNullable<ApiVariables['route']>): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    c.set('route', route)
    const actor = authenticate()
    const { deps } = c.var
    c.set('actor', actor)
    c.set('ctx', {
      ...deps.services,
      ...deps.reads,
      actor,
      workspace_id: DEFAULT_WORKSPACE_ID,
      channel: channelOf(c),
      request_id: c.var.request_id,
    })
    await next()
  }
}

/** Authentication is off: nothing in the request says who it is. */
function authenticate(): Actor {
  return LOCAL_ACTOR
}

/** Our own clients say which surface a person sits at; it is recorded and decides nothing. */
function channelOf(c: ApiContext): Channel {
  const said = c.req.header('x-svc-channel')
  return said === 'cli' || said === 'console' ? said : 'api'
}
