import type { JsonObject } from '#core/json/json.ts'
import { type Connection, defineOperator, type Operator, type OperatorContext, OperatorError } from '#core/operator.ts'
import { connectionText } from '#core/run/shown-data.ts'
import { cutText } from '#core/text/text.ts'
import type { EgressClient, EgressResponse } from '#platform/egress/egress-client.ts'
import { withAbort } from '#platform/within.ts'
import { durationMs } from '../duration-ms.ts'
import { curlLine } from '../http/curl-line.ts'
import { httpOutputs } from '../http/outputs.ts'
import { failureReason } from '../http/reason.ts'
import { credentialsOf, urlBelow } from '../http/target.ts'
import { operatorInput } from '../operator-input.ts'
import { predicted } from '../predicted.ts'
import { prometheusOutputs } from './result.ts'
import { PrometheusQueryInput } from './schema.ts'

/** Of the whole answer; what a step keeps of it is bounded by itself. */
const MAX_BYTES = 4 * 1024 * 1024
/** The server ends the query by itself, and then says so. */
const GRACE_MS = 5_000

/** Creates `prometheus.query`: an instant or a range query, within limits of series and samples. */
export function createPrometheusQuery(deps: { egress: EgressClient }): Operator {
  return defineOperator<PrometheusQueryInput>({
    id: 'prometheus.query',
    version: 1,
    title: 'Query Prometheus',
    risk: 'low',
    action_type: 'read',
    capabilities: ['http.egress'],
    requires_approval: false,
    ...operatorInput(PrometheusQueryInput),
    replay: () => 'safe',
    connection: ({ connection }) => connection,
    applyConnection(input, connection) {
      urlOf(input, connection)
      return input
    },
    describe(input, { connection }) {
      const { authorization } = credentialsOf(connection)
      return {
        summary: `query ${connectionText(input.connection, connection?.target)}: ${cutText(input.query, 500)}`,
        targets: { kind: 'connection', ids: [input.connection] },
        ...(connection === undefined
          ? {}
          : {
              command: curlLine({
                method: 'GET',
                url: urlOf(input, connection),
                headers: {},
                ...(authorization === undefined ? {} : { credentials: connection.id }),
              }),
            }),
      }
    },
    simulate: (ctx, input) =>
      predicted(ctx, async () => {
        const url = urlOf(input, await ctx.connection(input.connection))
        const { addresses } = await deps.egress.resolve({ url, egress: ctx.environment.egress, signal: ctx.signal })
        return { ok: true, summary: `would query ${input.connection}`, details: { query: input.query, addresses } }
      }),
    execute: async (ctx, input) => ({ outputs: await query(deps.egress, ctx, input) }),
  })
}

async function query(egress: EgressClient, ctx: OperatorContext, input: PrometheusQueryInput): Promise<JsonObject> {
  const connection = await ctx.connection(input.connection)
  const response = await withAbort(ctx.signal, timeoutOf(input) + GRACE_MS, (signal) =>
    egress.request({
      method: 'GET',
      url: urlOf(input, connection),
      headers: { accept: 'application/json', ...credentialsOf(connection) },
      egress: ctx.environment.egress,
      max_bytes: MAX_BYTES,
      // the credentials are for this address alone
      max_redirects: 0,
      signal,
    }),
  )
  if (response.status !== 200) throw refused(input, response)
  return prometheusOutputs(httpOutputs(response, MAX_BYTES).json, input)
}

/** A query that is wrong stays wrong: Prometheus says why in its own words. */
function refused({ connection }: PrometheusQueryInput, response: EgressResponse): OperatorError {
  const { status, retry_after_ms } = response
  const reason = status < 400 ? undefined : failureReason(httpOutputs(response, MAX_BYTES))
  const answered = `the query through ${connection} was answered ${status}`
  return new OperatorError('http_status', reason === undefined ? answered : `${answered}: ${reason}`, {
    retryable: status === 429 || status === 408 || status >= 500,
    retry_after_ms,
    details: { status },
  })
}

function urlOf(input: PrometheusQueryInput, connection: Connection): string {
  const { query: text, at, range } = input
  const asked = new URLSearchParams({ query: text, timeout: `${timeoutOf(input)}ms` })
  if (at !== undefined) asked.set('time', at)
  if (range !== undefined) {
    asked.set('start', range.start)
    asked.set('end', range.end)
    asked.set('step', String(durationMs(range.step) / 1_000))
  }
  const url = `api/v1/query${range === undefined ? '' : '_range'}?${asked}`
  return urlBelow(connection, input.connection, url)
}

function timeoutOf({ timeout }: PrometheusQueryInput): number {
  return durationMs(timeout ?? '30s')
}
