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

/** What a route does to the world; the agent-facing surface is derived from `read` alone. */
export type Access = 'read' | 'write' | 'stream' | 'download' | 'callback'
/** Who may call a route. `user` is anyone who is signed in. */
export type Auth = 'public' | 'signature' | Need

/** What middleware leaves for handlers. `ctx` is what service verbs take. */
export interface ApiVariables {
  request_id: string
  deps: ApiDeps
  /** what every verb and read may use, the same for every request */
  verbs: ServiceDeps & ReadPorts
  /** the OpenAPI document, made once */
  document: () => object
  /** what agents are offered, made once */
  tools: () => ReadonlyMap<string, McpTool>
  /** one request to an operation, through everything that any request goes through; no other operation answers it */
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
        refusal?: RefusalAnswer
      }
    | undefined
  /** what a request is about whose sender is not known yet, for the record of its refusal */
  asked: { type: string; id: string } | undefined
  /** the path as it was sent; a workspace prefix is not part of what is routed */
  full_path: string
  /** asks again whether the caller may read what is open, for streams; false when that cannot be told */
  still_allowed: () => Promise<boolean>
  /** asks again for the API key that the request came with; undefined where there was none */
  key_holds: (() => Promise<boolean>) | undefined
  /** the magic link that proves the request, on routes that take one */
  link: OpenedLink | undefined
  /** the signed delivery that the request is, on routes that take one */
  delivery: OpenedDelivery | undefined
  /** what broke an answer after its status was sent: it is no answer to be had again */
  broken: unknown
  /** the body as it was received, once it was read */
  body_text: string | undefined
  /** why a document of another system cannot be read; it is put on record before it is told */
  body_refusal: DomainError | undefined
  /** its bytes, which are what a signature is over */
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

/** What the clients that a credential was issued to are on record as; every other is `api`. */
const CHANNELS: ReadonlyMap<string | undefined, Channel> = new Map([
  ['svc-cli', 'cli'],
  [CONSOLE_CLIENT, 'console'],
])

/** The surface comes from the credential and from nothing else of the request; nobody sits at the console of a machine. */
export function channelOf({ client_id, type }: Actor): Channel {
  const channel = CHANNELS.get(client_id) ?? 'api'
  return channel === 'console' && type !== 'user' ? 'api' : channel
}
