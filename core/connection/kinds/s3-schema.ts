import { z } from 'zod'
import { type Connection, OperatorError } from '../../operator.ts'
import { percentDecoded } from '../../text/text.ts'
import { defineKind } from './define-kind-schema.ts'

/** Where a connection of the kind `s3` leads, and as whom. */
const S3Config = z.strictObject({
  endpoint: z
    .string()
    .max(300)
    .refine(isOrigin, 'an http or https url of a host, without user, path and query')
    .meta({ title: 'Endpoint', example: 'https://s3.eu-central-1.amazonaws.com' })
    // people read the host that the secret is for, in one spelling
    .transform((text) => new URL(text).origin),
  region: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, 'a region such as eu-central-1')
    .default('us-east-1')
    .meta({ title: 'Region' }),
  bucket: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/, 'the name of a bucket')
    .meta({ title: 'Bucket', example: 'svc-artifacts' }),
  prefix: z
    .string()
    .max(300)
    .regex(
      /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*\/?$/,
      'names of letters, digits, dots, underscores and dashes, apart by /',
    )
    .refine(hasNoDots, 'no name is . or ..')
    .exactOptional()
    .meta({ title: 'Prefix', description: 'Keys of steps are below it', example: 'svc' }),
  access_key_id: z
    .string()
    .regex(/^[\w.:@+=-]{1,128}$/, 'letters, digits and ._:@+=-')
    .meta({ title: 'Access key id', example: 'AKIAIOSFODNN7EXAMPLE' }),
  path_style: z
    .boolean()
    .default(true)
    .meta({ title: 'Path style', description: 'The bucket is in the path of urls; without, in the name of the host' }),
})
type S3Config = z.output<typeof S3Config>

/** A bucket as requests are made to it. */
export interface S3Location extends Omit<S3Config, 'prefix'> {
  /** empty, or ends with a slash */
  prefix: string
  secret_access_key: string
}

export const s3Kind = defineKind<S3Config>({
  title: 'Object store (S3)',
  auth: ['key'],
  secret: 'Secret access key',
  config: S3Config,
  problem: () => undefined,
  address: ({ endpoint, bucket }) => `${new URL(endpoint).origin} ${bucket}`,
  leadsTo: ({ endpoint, bucket, prefix = '' }) => `${endpoint}/${bucket}/${prefix}`,
  // `s3+https://<access key id>:<secret access key>@<host>/<bucket>/<prefix>?region=…&path_style=…`
  url({ endpoint, region, bucket, prefix = '', access_key_id, path_style }, _auth, secret) {
    const user = `${encodeURIComponent(access_key_id)}:${encodeURIComponent(secret)}`
    const { protocol, host } = new URL(endpoint)
    return `s3+${protocol}//${user}@${host}/${bucket}/${prefix}?region=${region}&path_style=${path_style}`
  },
})

export function isS3Url(url: string): boolean {
  return /^s3\+https?:\/\//.test(url)
}

/** Reads the url of a connection. Throws OperatorError `connection_kind` where it names no bucket. */
export function s3Location({ kind, url }: Pick<Connection, 'kind' | 'url'>, id = ''): S3Location {
  const read = isS3Url(url) && URL.canParse(url) ? new URL(url) : undefined
  if (read === undefined) throw new OperatorError('connection_kind', `connection ${id} (${kind}) is no object store`)
  const [bucket = '', ...prefix] = read.pathname.slice(1).split('/')
  const config = S3Config.safeParse({
    endpoint: `${read.protocol.slice('s3+'.length)}//${read.host}`,
    region: read.searchParams.get('region') ?? undefined,
    bucket,
    ...(prefix.join('/') !== '' && { prefix: prefix.join('/') }),
    access_key_id: percentDecoded(read.username),
    path_style: read.searchParams.get('path_style') !== 'false',
  })
  const secret_access_key = percentDecoded(read.password)
  if (config.success && secret_access_key !== '') {
    const below = config.data.prefix?.replace(/\/$/, '')
    return { ...config.data, prefix: below === undefined ? '' : `${below}/`, secret_access_key }
  }
  const wrong = config.error?.issues[0]
  const why = wrong === undefined ? 'it has no secret access key' : `${wrong.path.join('.')}: ${wrong.message}`
  throw new OperatorError('connection_kind', `the url of connection ${id} (${kind}) cannot be read: ${why}`)
}

/** Host, bucket and prefix, as people read them. */
export function s3BaseUrl({ endpoint, bucket, prefix }: S3Location): string {
  return `${new URL(endpoint).origin}/${bucket}/${prefix}`
}

/** The url of an object, whose key is below the prefix. */
export function s3ObjectUrl({ endpoint, bucket, prefix, path_style }: S3Location, key: string): string {
  const path = `${prefix}${key}`.split('/').map(encodeURIComponent).join('/')
  const { protocol, host } = new URL(endpoint)
  return path_style ? `${protocol}//${host}/${bucket}/${path}` : `${protocol}//${bucket}.${host}/${path}`
}

function isOrigin(text: string): boolean {
  return /^https?:\/\/[^/?#@\s]+\/?$/i.test(text) && URL.canParse(text)
}

function hasNoDots(path: string): boolean {
  return path.split('/').every((name) => name !== '.' && name !== '..')
}
