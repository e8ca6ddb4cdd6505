import { z } from 'zod'
import { bareHost } from '#core/egress/url.ts'
import type { JsonObject } from '#core/json/json.ts'
import { defineOperator, type Operator, type OperatorContext, OperatorError } from '#core/operator.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import type { Handshake } from '#platform/egress/tls-handshake.ts'
import { cleanJson, cleanText } from '../clean-json.ts'
import { Host } from '../field-schema.ts'
import { operatorInput } from '../operator-input.ts'
import { predicted } from '../predicted.ts'

const TlsProbeInput = z
  .strictObject({
    host: Host,
    port: z.int().min(1).max(65_535).default(443),
    server_name: Host.exactOptional().describe(
      'The name that is asked for, and that the certificate must be for; default: host',
    ),
    verify: z
      .boolean()
      .exactOptional()
      .describe('true: a certificate that is not accepted fails the step; default: it is a result'),
    expect: z
      .strictObject({
        names: z.array(Host).min(1).max(100).exactOptional().describe('Names that the certificate must be for'),
        issuer: z.string().min(1).max(200).exactOptional().describe('Common name or organisation of its issuer'),
        days_left: z.int().min(0).max(10_000).exactOptional().describe('Least days until it expires'),
      })
      .exactOptional()
      .describe('What must be so; else the step fails with `verify_failed`'),
    ca: z
      .string()
      .max(65_536)
      .regex(/-----BEGIN CERTIFICATE-----/, 'certificates as PEM')
      .exactOptional()
      .describe('The roots that count, as PEM, in place of the public ones'),
    accept_unreachable: z
      .boolean()
      .exactOptional()
      .describe('true: a server that makes no handshake is a result with `reachable: false`; default: the step fails'),
  })
  .refine((input) => input.accept_unreachable !== true || (input.verify !== true && input.expect === undefined), {
    path: ['accept_unreachable'],
    error: 'goes without verify and expect, which need a certificate',
  })
type TlsProbeInput = z.infer<typeof TlsProbeInput>

/** Creates `tls.probe`: reads the certificate that a server shows, and sends nothing. */
export function createTlsProbe(deps: { egress: EgressClient }): Operator {
  return defineOperator<TlsProbeInput>({
    id: 'tls.probe',
    version: 1,
    title: 'Probe a TLS certificate',
    risk: 'low',
    action_type: 'read',
    capabilities: ['tls.egress'],
    requires_approval: false,
    ...operatorInput(TlsProbeInput),
    replay: () => 'safe',
    describe: (input) => ({
      summary: `read the certificate of ${input.host}:${input.port}${asName(input)}`,
      targets: { kind: 'tls', ids: [`${input.host}:${input.port}`] },
      command: `openssl s_client -connect ${input.host}:${input.port} -servername ${input.server_name ?? input.host} -showcerts`,
    }),
    simulate: (ctx, input) =>
      predicted(ctx, async () => {
        const url = `https://${input.host}:${input.port}/`
        const { addresses } = await deps.egress.resolve({ url, egress: ctx.environment.egress, signal: ctx.signal })
        const summary = `would read the certificate of ${input.host}:${input.port}${asName(input)}`
        return { ok: true, summary, details: { addresses } }
      }),
    execute: async (ctx, input) => ({ outputs: await probe(deps.egress, ctx, input) }),
  })
}

function asName({ host, server_name }: TlsProbeInput): string {
  return server_name === undefined || server_name === host ? '' : ` as ${server_name}`
}

async function probe(egress: EgressClient, ctx: OperatorContext, input: TlsProbeInput): Promise<JsonObject> {
  const { host, port, server_name = host, ca, expect = {} } = input
  const asked = { host, port, server_name }
  const found = await egress
    .handshake({
      host,
      port,
      server_name: bareHost(server_name),
      egress: ctx.environment.egress,
      signal: ctx.signal,
      ...(ca === undefined ? {} : { ca }),
      ...(expect.names === undefined ? {} : { names: expect.names.map(bareHost) }),
    })
    .catch((error: unknown) => {
      if (input.accept_unreachable !== true || !(error instanceof OperatorError) || error.code !== 'unreachable')
        throw error
      return error
    })
  if (found instanceof OperatorError)
    return cleanJson({ ...asked, reachable: false, verified: false, reason: found.message }) as JsonObject
  const { uncovered: _asked, issuer_names: _issuer, ...shown } = found
  const outputs = cleanJson({ ...asked, reachable: true, ...shown }) as JsonObject
  const failures = failuresOf(found, input)
  if (failures.length === 0) return outputs
  const message = cleanText(`the certificate of ${host}:${port}: ${failures.join('; ')}`)
  throw new OperatorError('verify_failed', message, { details: outputs })
}

function failuresOf(found: Handshake, { verify, expect = {} }: TlsProbeInput): string[] {
  const { issuer, days_left } = expect
  return [
    ...(verify === true && found.reason !== undefined ? [found.reason] : []),
    ...found.uncovered.map((name) => `it is not for ${name}`),
    ...(issuer === undefined || found.issuer_names.includes(issuer)
      ? []
      : [`its issuer is ${found.issuer}, not ${issuer}`]),
    ...(days_left === undefined || found.days_left >= days_left
      ? []
      : [`${found.days_left} days are left, fewer than ${days_left}`]),
  ]
}
