import { z } from 'zod'
import { defineOperator, type Operator } from '#core/operator.ts'
import { connectionText } from '#core/run/shown-data.ts'
import type { S3Client } from '#platform/s3/s3-client.ts'
import { durationMs } from '../duration-ms.ts'
import { Duration } from '../field-schema.ts'
import { operatorInput } from '../operator-input.ts'
import { predicted } from '../predicted.ts'
import { clientOf, locationOf, ObjectFields, rulesOf, s3Only, shownObject, VersionId } from './object.ts'

const DEFAULT_EXPIRES = '15m'
const MAX_MS = 12 * 60 * 60_000

const S3PresignInput = z.strictObject({
  ...ObjectFields,
  version_id: VersionId,
  expires: Duration.refine((text) => durationMs(text) >= 1_000 && durationMs(text) <= MAX_MS, 'from 1s to 12h')
    .exactOptional()
    .describe('How long the url is good, at most 12h; default 15m'),
  file_name: z
    .string()
    .regex(/^[\w .()-]{1,200}$/, 'letters, digits, spaces and ._()-')
    .exactOptional()
    .describe('Name under which a browser saves it'),
})
type S3PresignInput = z.infer<typeof S3PresignInput>

/** Creates `s3.presign`: a url by which anybody who has it may read one object for a while. */
export function createS3Presign(client: S3Client | undefined): Operator {
  return defineOperator<S3PresignInput>({
    id: 's3.presign',
    version: 1,
    title: 'Share an object',
    risk: 'medium',
    action_type: 's3.share',
    capabilities: ['s3.read', 's3.share'],
    requires_approval: false,
    ...operatorInput(S3PresignInput),
    replay: () => 'safe',
    connection: ({ connection }) => connection,
    applyConnection: s3Only,
    describe: (input, transport) => ({
      summary: `make a url by which anybody who has it reads ${input.key} of ${connectionText(input.connection, transport.connection?.target)} for ${input.expires ?? DEFAULT_EXPIRES}`,
      targets: { kind: 'object', ids: [shownObject(input, transport)] },
    }),
    simulate: (ctx, input) =>
      predicted(ctx, async () => {
        const found = await clientOf(client).head(await locationOf(ctx, input.connection), input, rulesOf(ctx))
        return { ok: true, summary: `would share an object of ${found.size_bytes} bytes` }
      }),
    async execute(ctx, input) {
      const { key, file_name } = input
      const location = await locationOf(ctx, input.connection)
      const found = await clientOf(client).head(location, input, rulesOf(ctx))
      const version_id = input.version_id ?? found.version_id
      const expires_s = Math.round(durationMs(input.expires ?? DEFAULT_EXPIRES) / 1_000)
      const disposition = file_name === undefined ? 'attachment' : `attachment; filename="${file_name}"`
      await ctx.beforeSending()
      const url = await clientOf(client).presign(location, { key, version_id, expires_s, disposition })
      return {
        outputs: { key, url, expires_s, size_bytes: found.size_bytes, ...(version_id !== undefined && { version_id }) },
      }
    },
  })
}
