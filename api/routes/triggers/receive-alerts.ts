import { z } from '@hono/zod-openapi'
import { DomainError } from '#core/errors.ts'
import { ALERT_SOURCES } from '#core/trigger/alert-sources.ts'
import { SIGNAL_OUTCOMES } from '#core/trigger/outcome.ts'
import { receiveAlerts } from '#services/alerts/receive-alerts.ts'
import { alertDelivery } from '#services/inbox/inbox-route.ts'
import type { ApiContext } from '../../context.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { durably, listedWhenRefused } from '../../durably.ts'

export const AlertResults = z
  .object({
    results: z.array(
      z.object({
        fingerprint: z.string().meta({ example: 'alertmanager|checkout|HighErrorRate' }),
        outcome: z.enum(SIGNAL_OUTCOMES),
        run_id: z.string().optional(),
        attached_count: z.int().optional(),
        rule: z.string().optional(),
        detail: z.string().optional().meta({ description: 'Why no run was started' }),
      }),
    ),
    delivery_id: z.string().optional().meta({ description: 'Place in the inbox, where there is one' }),
    outcome: z
      .literal('received')
      .optional()
      .meta({ description: 'Stored in the inbox; its outcome is not known yet' }),
    truncated: z.int().optional().meta({ description: 'Alerts that the sender says it has left out' }),
  })
  .meta({ id: 'AlertResults', description: 'The outcome of each alert, in the order received.' })

const SNS_HEADER = 'x-amz-sns-message-type'
const TOOLS = new Intl.ListFormat('en-GB').format(ALERT_SOURCES.map(({ title }) => title))
const EXAMPLES = Object.fromEntries(
  ALERT_SOURCES.map(({ name, title, example }) => [name, { summary: title, value: example }]),
)

export const receiveAlertsRoute = defineRoute(
  {
    operationId: 'receiveAlerts',
    method: 'post',
    path: '/triggers/alert',
    tags: ['triggers'],
    verb: receiveAlerts,
    summary: 'Receive alerts as alerting tools send them',
    description: `${TOOLS} are recognised by themselves. At most 1,000 alerts a request. SNS may send \`text/plain\` with the header \`${SNS_HEADER}\`.`,
    request: {
      query: z.object({
        source: z
          .enum(ALERT_SOURCES.map(({ name }) => name))
          .optional()
          .meta({ description: 'Skips the recognition by shape' }),
      }),
      body: {
        required: true,
        content: {
          'application/json': {
            schema: z
              .unknown()
              .openapi({ type: ['object', 'array'], items: {}, description: 'The tool’s own payload' }),
            examples: EXAMPLES,
          },
          'text/plain': { schema: z.string() },
        },
      },
    },
    responses: { 202: ok(AlertResults, 'The outcome of each alert') },
    problems: ['unrecognised_alert'],
    idempotent: true,
    foreign: true,
    delivers: true,
  },
  async (c) => {
    const { source } = c.req.valid('query')
    await listedWhenRefused(c, { source }, () => mustBeRead(c))
    return c.json(await durably(c, alertDelivery, { source }), 202)
  },
)

function mustBeRead(c: ApiContext): void {
  const refusal = c.get('body_refusal')
  if (refusal !== undefined) throw refusal
  const plain = c.req.header('content-type')?.toLowerCase().startsWith('text/plain') ?? false
  if (plain && c.req.header(SNS_HEADER) === undefined)
    throw new DomainError('unsupported_media_type', `text/plain is understood with the header ${SNS_HEADER} only.`)
}
