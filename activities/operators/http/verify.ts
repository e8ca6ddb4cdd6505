import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Redirect } from '#core/egress/url.ts'
import { compileExpression } from '#core/expression/compile-expression.ts'
import type { JsonObject } from '#core/json/json.ts'
import { defineOperator, type Operator, type OperatorContext, OperatorError } from '#core/operator.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import { withAbort } from '#platform/within.ts'
import { durationMs } from '../duration-ms.ts'
import { ConnectionId, Duration, Headers, JsonRecord, MaxBytes } from '../field-schema.ts'
import { operatorInput } from '../operator-input.ts'
import { predicted } from '../predicted.ts'
import { curlLine } from './curl-line.ts'
import { isHttpRead } from './method.ts'
import { httpOutputs } from './outputs.ts'
import { credentialsOf, httpTarget, isPlainUrl, sentUrl, withConnection } from './target.ts'

/** One poll may not eat the whole time: a hanging target is asked again. */
const POLL_TIMEOUT_MS = 10_000

const HttpVerifyInput = z
  .strictObject({
    url: z.string().min(1).max(8_192),
    until: z.string().min(1).max(4_000).describe('CEL over response: status, headers, json, text'),
    given: JsonRecord.exactOptional().describe('Values that until names as given.…'),
    every: Duration.exactOptional().describe('Time between polls; default 1s'),
    within: Duration.exactOptional().describe('Time to become true; default 60s'),
    headers: Headers.exactOptional(),
    connection: ConnectionId.exactOptional(),
    max_bytes: MaxBytes.exactOptional(),
  })
  .refine((input) => input.connection !== undefined || isPlainUrl(input.url), {
    path: ['url'],
    error: 'an absolute http or https url without credentials',
  })
  .refine((input) => isHttpRead({ ...input, method: 'GET' }), {
    error:
      'asks for another method than GET by a header or in its query; use http.request, which is judged as a write then',
  })
  .superRefine((input, context) => {
    try {
      compileExpression(input.until)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      context.addIssue({ code: 'custom', path: ['until'], message })
    }
  })
  .transform((input) => (input.connection === undefined ? { ...input, url: sentUrl(input.url) } : input))
type HttpVerifyInput = z.infer<typeof HttpVerifyInput>

type Poll = { ok: boolean; status: number; reason: string; redirects: Redirect[]; retry_after_ms?: number | undefined }

/** Creates `http.verify`: polls until an expression over the response is true, or fails with `verify_failed`. */
export function createHttpVerify(deps: { egress: EgressClient }): Operator {
  return defineOperator<HttpVerifyInput>({
    id: 'http.verify',
    version: 1,
    title: 'Verify over HTTP',
    risk: 'low',
    action_type: 'read',
    capabilities: ['http.egress'],
    requires_approval: false,
    ...operatorInput(HttpVerifyInput),
    replay: () => 'safe',
    waits: true,
    connection: ({ connection }) => connection,
    applyConnection: withConnection,
    describe: (input, transport) => ({
      summary: `wait up to ${input.within ?? '60s'} until ${input.until} at ${input.url}${given(input)}`,
      targets: { kind: 'http', ids: [input.url] },
      command: curlLine({
        method: 'GET',
        url: input.url,
        headers: input.headers ?? {},
        ...(credentialsOf(transport.connection).authorization === undefined
          ? {}
          : { credentials: transport.connection?.id ?? '' }),
      }),
    }),
    simulate: (ctx, input) =>
      predicted(ctx, async () => {
        const { input: asked } = await httpTarget(ctx, input)
        const { egress } = ctx.environment
        const { addresses } = await deps.egress.resolve({ url: asked.url, egress, signal: ctx.signal })
        return {
          ok: true,
          summary: `would ask ${asked.url} until ${input.until}`,
          details: { url: asked.url, addresses },
        }
      }),
    execute: async (ctx, input) => ({ outputs: await verify(deps.egress, ctx, input) }),
  })
}

const given = (input: HttpVerifyInput) => (input.given === undefined ? '' : `, given ${JSON.stringify(input.given)}`)

async function verify(egress: EgressClient, ctx: OperatorContext, input: HttpVerifyInput) {
  const every = durationMs(input.every ?? '1s')
  const deadline = ctx.now() + durationMs(input.within ?? '60s')
  let seen = 0
  for (let attempts = 1; ; attempts += 1) {
    const left = Math.max(deadline - ctx.now(), 1)
    const result = await poll(egress, ctx, input, Math.min(left, POLL_TIMEOUT_MS))
    if (result.ok) return { ok: true, attempts, status: result.status, ...followed(result) }
    seen = result.status === 0 ? seen : result.status
    const time = deadline - ctx.now()
    if (every >= time) {
      throw new OperatorError('verify_failed', `not true within ${input.within ?? '60s'}: ${result.reason}`, {
        details: { attempts, status: seen, until: input.until, ...followed(result) },
      })
    }
    // the last time is kept, however long it asks to wait
    await pause(Math.max(every, Math.min(result.retry_after_ms ?? 0, time - every)), ctx.signal)
  }
}

function followed({ redirects }: Poll): { redirects?: Redirect[] } {
  return redirects.length === 0 ? {} : { redirects }
}

/** A target that does not answer yet is part of the wait; one that may not be asked is not. */
async function poll(
  egress: EgressClient,
  ctx: OperatorContext,
  input: HttpVerifyInput,
  timeoutMs: number,
): Promise<Poll> {
  try {
    const { input: asked, credentials } = await httpTarget(ctx, input)
    const response = await withAbort(ctx.signal, timeoutMs, (signal) =>
      egress.request({
        method: 'GET',
        url: asked.url,
        headers: { ...asked.headers, ...credentials },
        egress: ctx.environment.egress,
        signal,
        ...(input.max_bytes === undefined ? {} : { max_bytes: input.max_bytes }),
      }),
    )
    const { status, headers, json = null, text = '', problem } = httpOutputs(response, input.max_bytes)
    const { redirects, retry_after_ms } = response
    const { ok, reason } = judge(input.until, {
      response: { status, headers, json, text },
      ...(input.given !== undefined && { given: input.given }),
    })
    const explained = problem === undefined ? reason : `${reason}. ${problem}`
    return { status, redirects, retry_after_ms, ok, reason: explained }
  } catch (error) {
    const waits = error instanceof OperatorError && error.retryable && !ctx.signal.aborted
    if (!waits) throw error
    const redirects = (error.details?.['redirects'] ?? []) as Redirect[]
    return { ok: false, status: 0, reason: error.message, redirects }
  }
}

/** An expression that cannot be evaluated yet (a field that is missing while the target recovers) is not true yet. */
function judge(until: string, scope: JsonObject) {
  try {
    const ok = compileExpression(until).evaluate(scope) === true
    return { ok, reason: `${until} is false` }
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal })
  } catch (cause) {
    throw new OperatorError('aborted', 'the verification was stopped', { retryable: true, cause })
  }
}
