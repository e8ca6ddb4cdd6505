import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Actor } from '#core/actor.ts'
import type { DomainError } from '#core/errors.ts'
import type { Channel } from '#core/gate/types.ts'
import type { OpenedDelivery } from '#platform/ingress/ingress-authenticator.ts'
import type { OpenedLink } from '#services/approvals/links/link-context.ts'
import { CONSOLE_CLIENT } from '#services/auth/authenticator.ts'
import type { Need } from '#services/auth/may.ts'
import type { ReadPorts } from '#services/read-ports.ts'
import type { ServiceDeps } from '#services/service-deps.ts'
import type { ApiDeps, RequestContext } from './deps.ts'
import type { McpTool } from './mcp/mcp-tool.ts'

/** The effect of a route; tools for agents are derived from `read` alone. */
export type Access = 'read' | 'write' | 'stream' | 'download' | 'callback'
/** The callers of a route. `user` is any signed-in user. */
export type Auth = 'public' | 'signature' | Need

/** Variables that middleware sets for handlers. `ctx` is the context of service verbs. */
export interface ApiVariables {
  request_id: string
  deps: ApiDeps
  /** dependencies of every verb and read, the same for every request */
  verbs: ServiceDeps & ReadPorts
  /** the OpenAPI document, made once */
  document: () => object
  /** tools for agents, made once */
  tools: () => ReadonlyMap<string, McpTool>
  /** sends a request to an operation through all middleware; no other operation answers it */
  ask: (request: Request, operationId: string) => Promise<Response>
  actor: Actor
  ctx: RequestContext
  /** the declared route that answers, once one was found */
  route:
    | {
        operationId: string
        path: string
        access: Access
        auth: Auth
        scope: 'workspace' | 'account'
        only_ends?: boolean
        delivers?: boolean
        refusal?: RefusalAnswer
      }
    | undefined
  /** subject of a request whose sender is still unknown, for the record of its refusal */
  asked: { type: string; id: string } | undefined
  /** the path as sent, with the workspace prefix */
  full_path: string
  /** checks again whether the caller may read an open stream; false when that is unknown */
  still_allowed: () => Promise<boolean>
  /** checks the API key of the request again; undefined without one */
  key_holds: (() => Promise<boolean>) | undefined
  /** the magic link that proves the request, on routes that take one */
  link: OpenedLink | undefined
  /** the signed delivery that the request is, on routes that take one */
  delivery: OpenedDelivery | undefined
  /** an error after the status was sent: such an answer is not stored for repeats */
  broken: unknown
  /** the received body, once it was read */
  body_text: string | undefined
  /** why a foreign document is unreadable; recorded before it is answered */
  body_refusal: DomainError | undefined
  /** its bytes, for signatures */
  body_bytes: Uint8Array | undefined
  /** its JSON value, checked for depth and width; undefined when it is not JSON */
  body_json: unknown
}

export interface ApiEnv {
  /** `only` is the operation that a request from inside may be answered by; nothing from outside sets it */
  Bindings: Partial<HttpBindings> & { only?: string }
  Variables: ApiVariables
}

export type ApiContext = Context<ApiEnv>

/** A refusal as an answer in the format of the route, or undefined for the usual one. */
export type RefusalAnswer = (error: DomainError, c: ApiContext) => Response | undefined

/** Channels of clients by their credential; any other is `api`. */
const CHANNELS: ReadonlyMap<string | undefined, Channel> = new Map([
  ['svc-cli', 'cli'],
  [CONSOLE_CLIENT, 'console'],
])

/** Returns the channel of a request by its credential alone; a service account never uses the console. */
export function channelOf({ client_id, type }: Actor): Channel {
  const channel = CHANNELS.get(client_id) ?? 'api'
  return channel === 'console' && type !== 'user' ? 'api' : channel
}
