import { z } from '@hono/zod-openapi'
import { DomainError } from '#core/errors.ts'
import { deliveryScope } from '#core/ingress/delivery-scope.ts'
import { ingressId } from '#core/ingress/ingress.ts'
import { ANONYMOUS } from '#services/auth/authenticator.ts'
import type { Actor } from '#services/context.ts'
import { receiveIngress } from '#services/ingress/receive-ingress.ts'
import { clientIp } from '../../client-ip.ts'
import type { ApiContext } from '../../context.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { defined } from '../../defined.ts'
import { ingressPayload } from '../../ingress-payload.ts'
import { IngressAnswer } from '../../schemas/ingress.ts'

/** The delivery comes from whom its pack expects, or from nobody. Throws `not_found`, `rate_limited`, `unauthenticated`, `not_configured`. */
async function verifyIngress(c: ApiContext): Promise<Actor> {
  const { ingress: ports, log } = c.get('deps')
  const found = ports.door.find(c.req.param('pack') ?? '', c.req.param('name') ?? '')
  if (found === undefined) throw new DomainError('not_found', 'there is no such ingress')
  const id = ingressId(found)
  const address = clientIp(c)
  // strangers are counted by their address, so that a flood of forgeries does not lock out the sender
  await ports.limit.take(`${id} from ${address ?? ''}`)
  try {
    const body = c.get('body_bytes') ?? new Uint8Array()
    c.set('delivery', await ports.door.open(found, { headers: c.req.raw.headers, body }))
  } catch (error) {
    const fields = { ingress: id, address, request_id: c.get('request_id') }
    if (error instanceof DomainError)
      log.warn({ ...fields, code: error.code, cause: causeOf(error) }, 'a delivery was refused')
    throw error
  }
  await ports.limit.take(id)
  return { ...ANONYMOUS, type: 'service', id: `ingress:${id}`, display: id, workspaces: '*', auth: 'signature' }
}

export const receiveIngressRoute = defineRoute(
  {
    operationId: 'receiveIngress',
    method: 'post',
    path: '/triggers/ingress/{pack}/{name}',
    tags: ['triggers'],
    access: 'callback',
    auth: 'signature',
    verify: verifyIngress,
    summary: 'Receive a signed webhook that a pack declares',
    description:
      'The signature is verified over the exact bytes by the scheme of the ingress. A delivery that is repeated within three days is answered as the first time and starts nothing. At most 50 deliveries a second of one source.',
    request: {
      params: z.object({ pack: z.string().max(64), name: z.string().max(64) }),
      body: {
        required: true,
        content: {
          'application/json': {
            schema: z.unknown().openapi({ type: ['object', 'array'], description: 'The sender’s own payload' }),
          },
          'application/x-www-form-urlencoded': { schema: z.record(z.string(), z.unknown()) },
          'text/plain': { schema: z.string() },
        },
      },
    },
    responses: { 202: ok(IngressAnswer, 'What became of the delivery') },
    problems: ['conflict', 'not_configured', 'workspace_archived', 'audit_unavailable'],
  },
  async (c) => {
    const { deps, ctx, delivery } = c.var
    if (delivery === undefined) throw new DomainError('internal', 'the delivery was not opened')
    const workspace = await deps.workspaces.find(ctx.workspace_id)
    if (workspace?.status !== 'active')
      throw new DomainError('workspace_archived', 'The workspace is archived: nothing in it can change.')
    const { ingress, proof } = delivery
    const { key, provider_delivery_id, signed, confirm_url } = proof
    const { deliveries } = deps.ingress
    if (confirm_url !== undefined)
      deps.log.warn(
        { ingress: ingressId(ingress), confirm_url },
        'a subscription waits for a person to open its address',
      )
    const scope = deliveryScope(ingressPayload(c, signed), c.req.raw.headers.entries())
    const sound = { ingress, scope, key, ...defined({ provider_delivery_id, confirm_url }) }
    return c.json(await receiveIngress({ ...ctx, deliveries }, sound), 202)
  },
)

function causeOf({ cause }: DomainError): string | undefined {
  return cause instanceof Error ? cause.message : undefined
}
