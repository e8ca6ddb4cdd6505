import { createHash } from 'node:crypto'
import type { S3Client as Sdk } from '@aws-sdk/client-s3'
import type { S3Location } from '#core/connection/kinds/s3-schema.ts'
import { OperatorError } from '#core/operator.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import { digestOf } from '../sha256.ts'
import { isMissing, s3Failure } from './s3-failure.ts'
import { requestsThrough, type S3Rules } from './s3-requests.ts'

export type { S3Rules } from './s3-requests.ts'

/** Facts of an object. `sha256` is what the server has kept since the object was put; servers without checksums keep none. */
export interface S3Object {
  size_bytes: number
  etag?: string
  content_type?: string
  version_id?: string
  last_modified?: string
  sha256?: string
  metadata: Record<string, string>
}

/** Bytes that an object must have. */
export interface ExpectedBytes {
  digest: string
  size_bytes?: number
}

interface Named {
  /** below the prefix of the connection */
  key: string
  version_id?: string | undefined
}

/**
 * Objects of a bucket. Every request goes through the egress rules, once: it is not repeated. Throws OperatorError: `object_not_found`,
 * `object_exists`, `object_mismatch`, `s3_refused`, `dependency_unavailable`, and what an egress client throws.
 */
export interface S3Client {
  /** The object and its bytes, which are those of `expect`. */
  get(
    location: S3Location,
    object: Named & { max_bytes: number; expect?: ExpectedBytes },
    rules: S3Rules,
  ): Promise<S3Object & { body: Uint8Array; digest: string }>
  head(location: S3Location, object: Named, rules: S3Rules): Promise<S3Object>
  put(
    location: S3Location,
    object: {
      key: string
      body: Uint8Array
      content_type: string
      metadata?: Record<string, string>
      only_new?: boolean
    },
    rules: S3Rules,
  ): Promise<Pick<S3Object, 'etag' | 'version_id'> & { digest: string }>
  /** Deletes an object; one that is not there is deleted. */
  remove(location: S3Location, object: Named, rules: S3Rules): Promise<void>
  /** Asks for one key of the bucket. */
  probe(location: S3Location, rules: S3Rules): Promise<void>
  /** A url by which anybody may read the object until it ends. Nothing is sent. */
  presign(
    location: S3Location,
    object: Named & { expires_s: number; content_type?: string | undefined; disposition?: string | undefined },
  ): Promise<string>
}

const MAX_REFUSAL_BYTES = 65_536

/** The library takes a quarter of a second to load: it is loaded with the first use. */
const library = () => import('@aws-sdk/client-s3')

/** Creates a client of S3 that reaches its servers by the egress client alone. */
export function createS3Client(egress: Pick<EgressClient, 'request'>): S3Client {
  async function send<Answer>(
    location: S3Location,
    { rules, what, max_bytes = 1024 * 1024 }: { rules: S3Rules; what: string; max_bytes?: number },
    ask: (sdk: Sdk, library: typeof import('@aws-sdk/client-s3')) => Promise<Answer>,
  ): Promise<Answer> {
    const loaded = await library()
    const sdk = open(loaded, location, requestsThrough(egress, rules, max_bytes))
    try {
      return await ask(sdk, loaded)
    } catch (error) {
      throw s3Failure(error, { what, location })
    } finally {
      sdk.destroy()
    }
  }

  return {
    async get(location, { key, version_id, max_bytes, expect }, rules) {
      const size = Math.min(max_bytes, expect?.size_bytes ?? max_bytes)
      // an answer that refuses is read, however small the object may be
      const asked = { rules, what: `GET ${key}`, max_bytes: Math.max(size, MAX_REFUSAL_BYTES) }
      const tooLarge = () =>
        size === expect?.size_bytes
          ? mismatch(key, `it is larger than ${size} bytes`)
          : new OperatorError('response_too_large', `the object ${key} is larger than ${size} bytes`)
      const found = await send(location, asked, async (sdk, { GetObjectCommand }) => {
        const answer = await sdk.send(new GetObjectCommand({ ...at(location, key), VersionId: version_id }))
        return { ...factsOf(answer), body: (await answer.Body?.transformToByteArray()) ?? new Uint8Array() }
      }).catch((error: unknown) => {
        throw error instanceof OperatorError && error.code === 'response_too_large' ? tooLarge() : error
      })
      if (found.body.byteLength > size) throw tooLarge()
      const digest = digestOf(found.body)
      if (expect !== undefined && digest !== expect.digest) throw mismatch(key, `its bytes are ${digest}`)
      return { ...found, size_bytes: found.body.byteLength, digest }
    },
    async head(location, { key, version_id }, rules) {
      return await send(location, { rules, what: `HEAD ${key}` }, async (sdk, { HeadObjectCommand }) =>
        factsOf(
          await sdk.send(
            new HeadObjectCommand({ ...at(location, key), VersionId: version_id, ChecksumMode: 'ENABLED' }),
          ),
        ),
      )
    },
    async put(location, { key, body, content_type, metadata, only_new }, rules) {
      const sha256 = createHash('sha256').update(body).digest()
      const answer = await send(location, { rules, what: `PUT ${key}` }, (sdk, { PutObjectCommand }) =>
        sdk.send(
          new PutObjectCommand({
            ...at(location, key),
            Body: body,
            ContentLength: body.byteLength,
            ContentType: content_type,
            ChecksumSHA256: sha256.toString('base64'),
            ...(metadata && { Metadata: metadata }),
            ...(only_new === true && { IfNoneMatch: '*' }),
          }),
        ),
      )
      return { ...versionOf(answer), digest: `sha256:${sha256.toString('hex')}` }
    },
    async remove(location, { key, version_id }, rules) {
      await send(location, { rules, what: `DELETE ${key}` }, (sdk, { DeleteObjectCommand }) =>
        sdk.send(new DeleteObjectCommand({ ...at(location, key), VersionId: version_id })),
      ).catch((error: unknown) => {
        if (!isMissing(error)) throw error
      })
    },
    async probe(location, rules) {
      const { bucket, prefix } = location
      await send(location, { rules, what: 'a list of one key' }, (sdk, { ListObjectsV2Command }) =>
        sdk.send(new ListObjectsV2Command({ Bucket: bucket, MaxKeys: 1, ...(prefix !== '' && { Prefix: prefix }) })),
      )
    },
    async presign(location, { key, version_id, expires_s, content_type, disposition }) {
      const [loaded, { getSignedUrl }] = await Promise.all([library(), import('@aws-sdk/s3-request-presigner')])
      const sdk = open(loaded, location, refusing)
      const asked = new loaded.GetObjectCommand({
        ...at(location, key),
        VersionId: version_id,
        ResponseContentType: content_type,
        ResponseContentDisposition: disposition,
      })
      return await getSignedUrl(sdk, asked, { expiresIn: expires_s }).finally(() => sdk.destroy())
    },
  }
}

/** Nothing of it is read from the machine: neither variables nor files of a cloud's tools say where or as whom. */
function open(
  { S3Client: Client }: typeof import('@aws-sdk/client-s3'),
  location: S3Location,
  requestHandler: ReturnType<typeof requestsThrough>,
): Sdk {
  return new Client({
    endpoint: location.endpoint,
    region: location.region,
    forcePathStyle: location.path_style,
    credentials: { accessKeyId: location.access_key_id, secretAccessKey: location.secret_access_key },
    requestHandler,
    maxAttempts: 1,
    retryMode: 'standard',
    defaultsMode: 'standard',
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    authSchemePreference: [],
    disableS3ExpressSessionAuth: true,
    disableMultiregionAccessPoints: true,
    ignoreConfiguredEndpointUrls: true,
    sigv4aSigningRegionSet: [location.region],
    useAccelerateEndpoint: false,
    useArnRegion: false,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    userAgentAppId: 'svc',
  })
}

const refusing: ReturnType<typeof requestsThrough> = {
  handle: async () => {
    throw new Error('a url is signed without a request')
  },
}

const at = ({ bucket, prefix }: S3Location, key: string) => ({ Bucket: bucket, Key: `${prefix}${key}` })

interface Answered {
  ETag?: string | undefined
  VersionId?: string | undefined
  ContentLength?: number | undefined
  ContentType?: string | undefined
  LastModified?: Date | undefined
  ChecksumSHA256?: string | undefined
  Metadata?: Record<string, string> | undefined
}

function factsOf(answer: Answered): S3Object {
  const { ContentLength = 0, ContentType, LastModified, ChecksumSHA256, Metadata = {} } = answer
  // with a dash and a number it is of the parts of an upload, and not of the bytes
  const sha256 = ChecksumSHA256?.includes('-') === false ? Buffer.from(ChecksumSHA256, 'base64') : undefined
  return {
    size_bytes: ContentLength,
    ...versionOf(answer),
    ...(ContentType !== undefined && { content_type: ContentType }),
    ...(LastModified !== undefined && { last_modified: LastModified.toISOString() }),
    ...(sha256 !== undefined && { sha256: `sha256:${sha256.toString('hex')}` }),
    metadata: Metadata,
  }
}

function versionOf({ ETag, VersionId }: Answered): Pick<S3Object, 'etag' | 'version_id'> {
  return {
    ...(ETag !== undefined && { etag: ETag.replaceAll('"', '') }),
    ...(VersionId !== undefined && VersionId !== 'null' && { version_id: VersionId }),
  }
}

function mismatch(key: string, why: string): OperatorError {
  return new OperatorError('object_mismatch', `the object ${key} is not what was put there: ${why}`)
}
