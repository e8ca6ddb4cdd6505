import { z } from 'zod'
import { defineOperator, type Operator, type OperatorContext, OperatorError } from '#core/operator.ts'
import { connectionText } from '#core/run/shown-data.ts'
import type { S3Client } from '#platform/s3/s3-client.ts'
import { inOneOrder, JsonValue } from '../field-schema.ts'
import { curlLine } from '../http/curl-line.ts'
import { operatorInput } from '../operator-input.ts'
import { predicted } from '../predicted.ts'
import { clientOf, locationOf, MEDIA_TYPE, ObjectFields, rulesOf, s3Only, shownObject } from './object.ts'

const MAX_CHARS = 4 * 1024 * 1024
/** an object tells by it which step has put it */
const PUT_BY = 'svc-step'

const S3PutInput = z
  .strictObject({
    ...ObjectFields,
    text: z.string().max(MAX_CHARS).exactOptional().describe('Content, as UTF-8'),
    json: JsonValue.exactOptional().describe('Content, as JSON'),
    content_type: z
      .string()
      .regex(MEDIA_TYPE, 'a media type')
      .exactOptional()
      .describe('Default application/json for json, text/plain for text'),
    only_new: z
      .boolean()
      .exactOptional()
      .describe('Fails where there is an object of that key (If-None-Match); some servers know no such condition'),
  })
  .refine((input) => (input.text === undefined) !== (input.json === undefined), {
    path: ['text'],
    error: 'text or json, one of them',
  })
  .transform((input) => (input.json === undefined ? input : { ...input, json: inOneOrder(input.json) }))
type S3PutInput = z.infer<typeof S3PutInput>

/** Creates `s3.put`: writes an object, the same one with every attempt. */
export function createS3Put(client: S3Client | undefined): Operator {
  return defineOperator<S3PutInput>({
    id: 's3.put',
    version: 1,
    title: 'Write an object',
    risk: 'medium',
    action_type: 's3.write',
    capabilities: ['s3.write'],
    requires_approval: false,
    ...operatorInput(S3PutInput),
    replay: () => 'safe',
    connection: ({ connection }) => connection,
    applyConnection: s3Only,
    describe(input, transport) {
      const url = shownObject(input, transport)
      const body = contentOf(input)
      const over = input.only_new === true ? 'as a new object' : 'over what may be there'
      return {
        summary: `write ${Buffer.byteLength(body)} bytes to ${input.key} of ${connectionText(input.connection, transport.connection?.target)}, ${over}`,
        targets: { kind: 'object', ids: [url] },
        command: curlLine({
          method: 'PUT',
          url,
          body,
          credentials: transport.connection?.id ?? input.connection,
          headers: {
            'content-type': typeOf(input),
            [`x-amz-meta-${PUT_BY}`]: transport.idempotency_key,
            ...(input.only_new === true && { 'if-none-match': '*' }),
          },
        }),
      }
    },
    simulate: (ctx, input) =>
      predicted(ctx, async () => {
        const there = await existing(clientOf(client), ctx, input)
        const bytes = Buffer.byteLength(contentOf(input))
        const details = { bytes, replaces: there === undefined ? null : { ...there, metadata: {} } }
        if (there === undefined) return { ok: true, summary: `would write a new object of ${bytes} bytes`, details }
        if (input.only_new === true && there.metadata[PUT_BY] !== ctx.idempotency_key)
          return { ok: false, summary: `there is an object ${input.key} already`, details }
        return { ok: true, summary: `would replace an object of ${there.size_bytes} bytes`, details }
      }),
    async execute(ctx, input) {
      const s3 = clientOf(client)
      const { key } = input
      const location = await locationOf(ctx, input.connection)
      const body = Buffer.from(contentOf(input))
      const object = { key, body, content_type: typeOf(input), metadata: { [PUT_BY]: ctx.idempotency_key } }
      const only_new = input.only_new === true
      const rules = { ...rulesOf(ctx), beforeSending: () => ctx.beforeSending() }
      const written = await s3.put(location, { ...object, only_new }, rules).catch(async (error: unknown) => {
        if (!(error instanceof OperatorError) || error.code !== 'object_exists') throw error
        // the attempt before may have written it, and lost the answer
        const there = await s3.head(location, { key }, rulesOf(ctx))
        if (there.metadata[PUT_BY] !== ctx.idempotency_key) throw error
        const {
          body: _,
          digest,
          etag,
          version_id,
        } = await s3.get(location, { key, max_bytes: body.length }, rulesOf(ctx))
        return { digest, ...(etag !== undefined && { etag }), ...(version_id !== undefined && { version_id }) }
      })
      return { outputs: { key, size_bytes: body.byteLength, ...written } }
    },
  })
}

function contentOf({ text, json }: S3PutInput): string {
  return text ?? JSON.stringify(json)
}

function typeOf({ content_type, text }: S3PutInput): string {
  return content_type ?? (text === undefined ? 'application/json' : 'text/plain; charset=utf-8')
}

async function existing(s3: S3Client, ctx: OperatorContext, input: S3PutInput) {
  const location = await locationOf(ctx, input.connection)
  return await s3.head(location, { key: input.key }, rulesOf(ctx)).catch((error: unknown) => {
    if (error instanceof OperatorError && error.code === 'object_not_found') return undefined
    throw error
  })
}
