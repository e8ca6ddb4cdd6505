import { z } from '@hono/zod-openapi'
import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { ingressId } from '#core/ingress/ingress.ts'
import { ACTED_STAGES, DeliveryTrace } from '#core/ingress/trace-schema.ts'
import { SIGNAL_OUTCOMES } from '#core/trigger/outcome.ts'
import { ANONYMOUS } from '#services/auth/authenticator.ts'
import { ingressDelivery } from '#services/ingress/act-on-delivery.ts'
import { listSignedDeliveries, receiveIngress } from '#services/ingress/receive-ingress.ts'
import type { ApiContext } from '../../context.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { durably, listedWhenRefused } from '../../durably.ts'
import { ingressBody } from '../../ingress-body.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'
import { clientIp } from '../../request-origin.ts'
import { QueuedDelivery } from '../../schemas/triggers.ts'
import { addressOf } from '../../workspace-address.ts'

const IngressAnswer = z
  .object({
    delivery_id: z.string().meta({ example: 'dlv_01jd4c2v7m8k9h3r5t6w1x0y2z' }),
    outcome: z.enum(SIGNAL_OUTCOMES),
    run_id: z.string().optional(),
    attached_count: z.int().optional(),
    rule: z.string().optional(),
    detail: z.string().optional().meta({ description: 'Why no run was started' }),
    stopped_at: z
      .enum(ACTED_STAGES)
      .optional()
      .meta({ description: 'The stage where it ended, when it matched no rule or started no run' }),
  })
  .meta({ id: 'IngressAnswer', description: 'The outcome of a signed delivery; a repeated one gets the first answer.' })

const Challenge = z
  .object({ challenge: z.string() })
  .meta({ id: 'IngressChallenge', description: 'The text that a sender asked to have back.' })

export const listSignedDeliveriesRoute = defineRoute(
  {
    operationId: 'listSignedDeliveries',
    method: 'get',
    path: '/triggers/deliveries',
    tags: ['triggers'],
    access: 'read',
    auth: 'operator',
    summary: 'List deliveries to signed webhooks with what happened to each, stage by stage, newest first',
    description:
      'Of the last three days. What was refused before it was believed (401, 404, 429) is in the log of the API and not here: its sender is unknown. Repeats are not listed beside their first.',
    request: {
      query: z.object({
        ingress: z
          .string()
          .regex(/^[a-z0-9-]{1,64}\/[a-z0-9-]{1,64}$/)
          .optional()
          .meta({ description: 'Of this one alone', example: 'sre/github-deployments' }),
        ...pageQuery,
      }),
    },
    responses: { 200: listOf(DeliveryTrace, 'deliveries') },
    problems: ['invalid_cursor'],
  },
  async (c) => {
    const page = await listSignedDeliveries(c.get('ctx'), c.req.valid('query'))
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)

const WORKSPACE_ID = /^ws_[0-9a-z]{26}$/

/**
 * Verifies that the delivery comes from the sender of its pack. Its address is not signed: it selects the secret, and the workspace of that
 * secret. Throws `not_found`, `rate_limited`, `unauthenticated`, `not_configured`.
 */
async function verifyIngress(c: ApiContext): Promise<Actor> {
  const { ingress: ports, log } = c.get('deps')
  const found = ports.authenticator.find(c.req.param('pack') ?? '', c.req.param('name') ?? '')
  const workspace =
    addressOf(c.get('full_path')).workspace_id ?? c.req.header('x-svc-workspace') ?? DEFAULT_WORKSPACE_ID
  if (found === undefined || !WORKSPACE_ID.test(workspace))
    throw new DomainError('not_found', 'there is no such ingress')
  const id = ingressId(found)
  c.set('asked', { type: 'ingress', id })
  const address = clientIp(c)
  // forgeries are counted by their address, so that a flood of them does not lock out the sender
  const stranger = `${id} from ${address ?? ''}`
  await ports.forgeries.peek(stranger)
  try {
    const body = c.get('body_bytes') ?? new Uint8Array()
    c.set('delivery', await ports.authenticator.open(found, { headers: c.req.raw.headers, body }, workspace))
  } catch (error) {
    const fields = { ingress: id, workspace_id: workspace, address, request_id: c.get('request_id') }
    if (error instanceof DomainError)
      log.warn({ ...fields, code: error.code, cause: causeOf(error) }, 'a delivery was refused')
    await ports.forgeries.take(stranger)
    throw error
  }
  await ports.limit.take(`${id} in ${workspace}`)
  return { ...ANONYMOUS, type: 'service', id: `ingress:${id}`, display: id, workspaces: [workspace], auth: 'signature' }
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
    foreign: true,
    summary: 'Receive a signed webhook that a pack declares',
    description:
      'The signature is verified over the exact bytes by the scheme of the ingress. A delivery that is repeated within three days is answered as the first time and starts nothing. At most `SVC_DELIVERY_RATE_LIMIT` deliveries a second of one source, counted over ten seconds. Outside the default workspace the secret is the workspace’s own; two ingresses that share a secret are both closed.',
    request: {
      params: z.object({ pack: z.string().max(64), name: z.string().max(64) }),
      body: {
        required: true,
        content: {
          'application/json': {
            schema: z
              .unknown()
              .openapi({ type: ['object', 'array'], items: {}, description: 'The sender’s own payload' }),
          },
          'application/x-www-form-urlencoded': { schema: z.record(z.string(), z.unknown()) },
          'text/plain': { schema: z.string() },
        },
      },
    },
    responses: {
      200: ok(Challenge, 'What Slack wants back when it verifies the address'),
      202: ok(z.union([IngressAnswer, QueuedDelivery]), 'The outcome of the delivery'),
    },
    problems: ['conflict', 'not_configured', 'workspace_archived'],
  },
  async (c) => {
    const [{ workspaces, log, ingress }, arrived] = [c.get('deps'), c.get('delivery')]
    if (arrived === undefined) throw new DomainError('internal', 'the delivery was not opened')
    const { challenge } = arrived.proof
    if (challenge !== undefined) return c.json({ challenge }, 200)
    const answer = await receiveIngress(
      { ...c.get('ctx'), workspaces, log, deliveries: ingress.deliveries },
      { ...arrived, headers: c.req.raw.headers.entries() },
      async (taken) => {
        const read = await listedWhenRefused(c, taken, () => ingressBody(c, arrived))
        return await durably(c, ingressDelivery, { ...taken, ...read })
      },
    )
    // rules are hidden from a sender
    const { why: _kept, ...forSender } = { why: undefined, ...answer }
    return c.json(forSender, 202)
  },
)

function causeOf({ cause }: DomainError): string | undefined {
  return cause instanceof Error ? cause.message : undefined
}
