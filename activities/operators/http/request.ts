import { redactUrl, redirectLocation } from '#core/egress/url.ts'
import { defineOperator, type Operator, type OperatorContext, OperatorError, type Replay } from '#core/operator.ts'
import { cutText } from '#core/text/text.ts'
import type { EgressClient, EgressRequest, EgressResponse } from '#platform/egress/egress-client.ts'
import { withAbort } from '#platform/within.ts'
import { cleanText } from '../clean-json.ts'
import { declaredCost } from '../declared-cost.ts'
import { durationMs } from '../duration-ms.ts'
import { operatorInput } from '../operator-input.ts'
import { predicted } from '../predicted.ts'
import { curlLine } from './curl-line.ts'
import { isHttpRead } from './method.ts'
import { httpOutputs } from './outputs.ts'
import { failureReason } from './reason.ts'
import { HttpRequestInput } from './request-schema.ts'
import { credentialsOf, httpTarget, withConnection } from './target.ts'

const EXCERPT_CHARS = 2_000

/** Creates `http.request`: one HTTP request, repeated safely by its `Idempotency-Key` (`run_id:step_id`). */
export function createHttpRequest(deps: { egress: EgressClient }): Operator {
  return defineOperator<HttpRequestInput>({
    id: 'http.request',
    version: 1,
    title: 'HTTP request',
    risk: 'medium',
    action_type: 'http.write',
    capabilities: ['http.egress'],
    requires_approval: false,
    ...operatorInput(HttpRequestInput),
    actionType: (input) => (isHttpRead(input) ? 'read' : 'http.write'),
    replay,
    estimate: declaredCost,
    connection: ({ connection }) => connection,
    applyConnection: withConnection,
    describe(input, transport) {
      const via = input.connection === undefined ? '' : ` through connection ${input.connection}`
      const { authorization } = credentialsOf(transport.connection)
      const body = bodyOf(input)
      return {
        summary: `${input.method} ${input.url}${via}`,
        targets: { kind: 'http', ids: [input.url] },
        command: curlLine({
          method: input.method,
          url: input.url,
          headers: { ...headersOf(input), ...keyOf(input, transport) },
          ...(authorization === undefined ? {} : { credentials: transport.connection?.id ?? '' }),
          ...(body === undefined ? {} : { body }),
        }),
      }
    },
    simulate: (ctx, input) =>
      predicted(ctx, async () => {
        const { input: asked } = await httpTarget(ctx, input)
        const { egress } = ctx.environment
        const { addresses } = await deps.egress.resolve({ url: asked.url, egress, signal: ctx.signal })
        const { method, url, json, body } = asked
        const details = {
          method,
          url,
          headers: headersOf(asked),
          addresses,
          ...(json === undefined ? {} : { json }),
          ...(body === undefined ? {} : { body }),
        }
        return { ok: true, summary: `would send ${method} ${url}`, details }
      }),
    async execute(ctx, input) {
      const request = await prepare(ctx, input)
      let response: EgressResponse
      try {
        response = await send(deps.egress, request, input, ctx.signal)
      } catch (error) {
        if (!isAcceptedLoss(ctx, input, error)) throw failedRequest(input, error)
        return { outputs: { status: 0, headers: {}, lost: cleanText(error.message) }, cost: declaredCost(input) }
      }
      if (!isAccepted(input, response.status))
        throw redirected(input, request, response) ?? refusedStatus(input, response)
      return { outputs: httpOutputs(response, input.max_bytes), cost: declaredCost(input) }
    },
  })
}

function replay(input: HttpRequestInput): Replay {
  return isHttpRead(input) || input.idempotent !== false ? 'safe' : 'ask'
}

function headersOf(input: HttpRequestInput): Record<string, string> {
  return input.json === undefined ? (input.headers ?? {}) : { 'content-type': 'application/json', ...input.headers }
}

function keyOf(input: HttpRequestInput, { idempotency_key }: { idempotency_key: string }): Record<string, string> {
  return isHttpRead(input) ? {} : { 'idempotency-key': idempotency_key }
}

function bodyOf({ json, body }: HttpRequestInput): string | undefined {
  return json === undefined ? body : JSON.stringify(json)
}

async function prepare(ctx: OperatorContext, given: HttpRequestInput): Promise<EgressRequest> {
  const { input, credentials } = await httpTarget(ctx, given)
  const body = bodyOf(input)
  const wantsRedirect = (input.accept_status ?? []).some((status) => status >= 300 && status < 400)
  return {
    method: input.method,
    url: input.url,
    headers: { ...headersOf(input), ...credentials, ...keyOf(input, ctx) },
    egress: ctx.environment.egress,
    signal: ctx.signal,
    beforeSending: () => ctx.beforeSending(),
    ...(body === undefined ? {} : { body: Buffer.from(body) }),
    ...(input.max_bytes === undefined ? {} : { max_bytes: input.max_bytes }),
    ...(wantsRedirect || !isHttpRead(input) ? { max_redirects: 0 } : {}),
  }
}

function send(
  egress: EgressClient,
  request: EgressRequest,
  { accept_lost_after }: HttpRequestInput,
  signal: AbortSignal,
): Promise<EgressResponse> {
  if (accept_lost_after === undefined) return egress.request(request)
  return withAbort(signal, durationMs(accept_lost_after), (timed) => egress.request({ ...request, signal: timed }))
}

/** A request that was sent and has no usable answer. Where the step itself has ended, by its timeout or a cancellation, that decides. */
function isAcceptedLoss(
  { signal }: OperatorContext,
  { accept_lost_after }: HttpRequestInput,
  error: unknown,
): error is OperatorError {
  if (accept_lost_after === undefined || signal.aborted) return false
  if (!(error instanceof OperatorError) || error.details?.['sent'] !== true) return false
  return ['connection_lost', 'timeout', 'response_too_large'].includes(error.code)
}

function isAccepted(input: HttpRequestInput, status: number): boolean {
  return input.accept_status === undefined ? status >= 200 && status < 300 : input.accept_status.includes(status)
}

/**
 * No answer. What was never sent cost nothing; where the target may have acted, and nothing makes a repetition harmless, a
 * person must look.
 */
function failedRequest(input: HttpRequestInput, error: unknown): unknown {
  if (!(error instanceof OperatorError) || error.details === undefined) return error
  const { code, message, retryable, details } = error
  if (details['sent'] === false) return new OperatorError(code, message, { retryable, cost: {}, details, cause: error })
  if (replay(input) === 'safe') return error
  return new OperatorError(code, message, { unknown_outcome: true, details, cause: error })
}

/** An effect that is pointed elsewhere has no place in the plan: nothing is sent there, and the record says where it was. */
function redirected(
  input: HttpRequestInput,
  request: EgressRequest,
  { status, headers }: EgressResponse,
): OperatorError | undefined {
  const location = isHttpRead(input) ? undefined : redirectLocation(request.url, status, headers['location'])
  if (location === undefined) return undefined
  const shown = redactUrl(location)
  return new OperatorError(
    'redirected',
    `${input.method} ${redactUrl(request.url)} was answered ${status} and points to ${shown}, where it was not sent`,
    {
      details: { status, location: shown },
    },
  )
}

/** An answer that is no success. A plain 503 may come from a proxy whose upstream has acted; one that says when to come back has not. */
function refusedStatus(input: HttpRequestInput, response: EgressResponse): OperatorError {
  const { status, headers, redirects, retry_after_ms } = response
  const notProcessed = status === 429 || (status === 503 && headers['retry-after'] !== undefined)
  const retryable = status === 429 || status === 408 || status >= 500
  const unknown = retryable && !notProcessed && replay(input) === 'ask'
  const outputs = httpOutputs(response, input.max_bytes)
  const { text, problem } = outputs
  const reason = status < 400 ? undefined : failureReason(outputs)
  const answered = `${input.method} ${redactUrl(input.url)} answered ${status}`
  return new OperatorError('http_status', reason === undefined ? answered : `${answered}: ${reason}`, {
    retryable: retryable && !unknown,
    unknown_outcome: unknown,
    retry_after_ms,
    details: {
      status,
      ...(redirects.length === 0 ? {} : { redirects }),
      ...(text === undefined ? {} : { text: cutText(text, EXCERPT_CHARS) }),
      ...(problem === undefined ? {} : { problem }),
    },
  })
}
