import { z } from 'zod'
import { isLoopback } from '../../egress/classify.ts'
import { bareHost } from '../../egress/url.ts'
import { percentDecoded } from '../../text/text.ts'
import { BasicUser, defineKind, host, Port, userProblem } from './define-kind-schema.ts'

const SmtpConfig = z.strictObject({
  host: host('smtp.example.com'),
  port: Port.exactOptional().meta({ title: 'Port', description: 'Default: 587, or 465 with implicit TLS' }),
  tls: z
    .enum(['starttls', 'implicit', 'none'])
    .default('starttls')
    .meta({ title: 'TLS', description: '`none` is for a server on the same machine alone' }),
  user: BasicUser,
})
type SmtpConfig = z.output<typeof SmtpConfig>

export const smtpKind = defineKind<SmtpConfig>({
  title: 'Mail server (SMTP)',
  auth: ['basic', 'none'],
  secret: 'Password',
  config: SmtpConfig,
  problem({ user, host, tls }, auth) {
    if (tls === 'none' && !isLoopback(bareHost(host)))
      return { field: 'tls', message: 'none is for a server on the same machine, such as 127.0.0.1' }
    return userProblem(user, auth)
  },
  // without TLS the password would be shown to others
  address: (config) => `${config.host.toLowerCase()}:${portOf(config)} ${config.tls}`,
  leadsTo: (config) => `${config.host}:${portOf(config)}`,
  url(config, auth, secret) {
    const { host, tls, user = '' } = config
    const login = auth === 'none' ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(secret)}@`
    const scheme = tls === 'implicit' ? 'smtps' : 'smtp'
    return `${scheme}://${login}${host}:${portOf(config)}${tls === 'none' ? '?tls=none' : ''}`
  },
})

const portOf = ({ port, tls }: Pick<SmtpConfig, 'port' | 'tls'>) => port ?? (tls === 'implicit' ? 465 : 587)

/** `smtp://` is STARTTLS, `smtps://` TLS from the first byte, `?tls=none` no TLS, to this machine alone. */
export interface SmtpAddress {
  host: string
  port: number
  tls: SmtpConfig['tls']
  user: string
  pass: string
}

/** Reads the url of a connection to a mail server; undefined for any other. */
export function smtpAddress(text: string): SmtpAddress | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return undefined
  const implicit = url.protocol === 'smtps:'
  const tls = implicit ? 'implicit' : url.searchParams.get('tls') === 'none' ? 'none' : 'starttls'
  return {
    host: url.hostname,
    port: url.port === '' ? portOf({ tls }) : Number(url.port),
    tls,
    user: percentDecoded(url.username),
    pass: percentDecoded(url.password),
  }
}
