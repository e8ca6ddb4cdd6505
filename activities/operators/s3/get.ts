import { z } from 'zod'
import type { Json } from '#core/json/json.ts'
import { parseForeignJson, UNLIMITED } from '#core/json/parse-json.ts'
import { defineOperator, type Operator, type OperatorResult } from '#core/operator.ts'
import { connectionText } from '#core/run/shown-data.ts'
import type { S3Client, S3Object } from '#platform/s3/s3-client.ts'
import { answerText } from '../answer-text.ts'
import { cleanJson, cleanText } from '../clean-json.ts'
import { operatorInput } from '../operator-input.ts'
import { clientOf, locationOf, MEDIA_TYPE, ObjectFields, rulesOf, s3Only, shownObject, VersionId } from './object.ts'

const MB = 1024 * 1024
const MAX_BYTES = 16 * MB

const S3GetInput = z.strictObject({
  ...ObjectFields,
  version_id: VersionId,
  digest: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/, 'sha256: and 64 hex digits')
    .exactOptional()
    .describe('What the bytes must be; others fail the step'),
  artifact: z
    .string()
    .min(1)
    .max(200)
    .exactOptional()
    .describe('Keeps the bytes as an artifact of this name, and not in the outputs'),
  max_bytes: z.int().min(1).max(MAX_BYTES).exactOptional().describe('Largest object that is taken, default 1 MiB'),
})
type S3GetInput = z.infer<typeof S3GetInput>

/** Creates `s3.get`: reads an object, as text or JSON in the outputs, or as an artifact. */
export function createS3Get(client: S3Client | undefined): Operator {
  return defineOperator<S3GetInput>({
    id: 's3.get',
    version: 1,
    title: 'Read an object',
    risk: 'low',
    action_type: 'read',
    capabilities: ['s3.read'],
    requires_approval: false,
    ...operatorInput(S3GetInput),
    replay: () => 'safe',
    connection: ({ connection }) => connection,
    applyConnection: s3Only,
    describe: (input, transport) => ({
      summary: `read ${input.key} of ${connectionText(input.connection, transport.connection?.target)}`,
      targets: { kind: 'object', ids: [shownObject(input, transport)] },
    }),
    testConnection: async (ctx, connection) =>
      await clientOf(client).probe(await locationOf(ctx, connection), rulesOf(ctx)),
    async simulate(ctx, input) {
      const location = await locationOf(ctx, input.connection)
      const found = await clientOf(client).head(location, input, rulesOf(ctx))
      return { ok: true, summary: `would read ${found.size_bytes} bytes`, details: shown(found) }
    },
    async execute(ctx, input) {
      const { key, version_id, digest: expected, artifact, max_bytes = MB } = input
      const location = await locationOf(ctx, input.connection)
      const expect = expected === undefined ? {} : { expect: { digest: expected } }
      const { body, digest, ...found } = await clientOf(client).get(
        location,
        { key, version_id, max_bytes, ...expect },
        rulesOf(ctx),
      )
      const outputs = { key, digest, ...shown(found) }
      const { content_type = '' } = found
      if (artifact === undefined) return { outputs: { ...outputs, ...contentOf(body, content_type, max_bytes) } }
      const media_type = MEDIA_TYPE.test(content_type) ? content_type : 'application/octet-stream'
      return { outputs: { ...outputs, artifact }, artifacts: [{ name: artifact, media_type, body }] }
    },
  })
}

function shown({ metadata: _, sha256: __, ...found }: S3Object) {
  return found
}

function contentOf(body: Uint8Array, content_type: string, max_bytes: number): OperatorResult['outputs'] {
  const { text, problem } = answerText(body, { 'content-type': content_type }, max_bytes)
  if (text === undefined) return { problem }
  if (!/^application\/([^;]+\+)?json\b/i.test(content_type)) return { text: cleanText(text) }
  const json = jsonOf(text)
  return json === undefined
    ? { text: cleanText(text), problem: 'The object says that it is JSON, and it is not.' }
    : { json }
}

function jsonOf(text: string): Json | undefined {
  try {
    return cleanJson(parseForeignJson(text, UNLIMITED))
  } catch {
    return undefined
  }
}
