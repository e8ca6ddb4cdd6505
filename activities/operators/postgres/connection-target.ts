import postgres from 'postgres'
import { isS3Url, s3BaseUrl, s3Location } from '#core/connection/kinds/s3-schema.ts'
import { smtpAddress } from '#core/connection/kinds/smtp-schema.ts'
import { HIDDEN } from '#core/egress/url.ts'
import { DomainError } from '#core/errors.ts'
import type { Connection, ConnectionTarget } from '#core/operator.ts'
import { ipv6Of } from '#store/sql/postgres-socket.ts'

/** Parameters of a connection url whose values are credentials; every other setting changes what a statement does. */
const SECRET_PARAMETER = /(pass|passwd|password|passwort|passphrase|pwd|secret|token|(^|[-._])key)$/i
const SECRET_OPTION = /(-c\s*[\w.-]*(?:pass\w*|pwd|secret|token|key))=\S+/gi

const UNREADABLE =
  'its url cannot be read: in a user name or password, write @ as %40, : as %3A, / as %2F, ? as %3F and # as %23'

/**
 * Where a connection leads and as whom, as the client that uses it will read its url. Nothing in it is secret.
 * Throws `not_configured` where a piece of the password would be taken for the host.
 */
export function connectionTarget({ kind, url }: Connection): ConnectionTarget {
  if (/^postgres(ql)?:\/\//.test(url)) return postgresTarget(kind, url)
  const mail = smtpAddress(url)
  if (mail !== undefined) {
    const { host, port, tls, user, pass } = mail
    return { kind, host: `${host}:${port}`, ...(pass === '' ? {} : { user }), parameters: { tls } }
  }
  if (isS3Url(url)) return s3Target(kind, url)
  const base = URL.canParse(url) ? new URL(url) : undefined
  if (base === undefined) return { kind, host: '' }
  // with no password beside it, what stands in the place of the user is a key
  const user = base.password === '' ? '' : decodeURIComponent(base.username)
  return { kind, host: base.host, base_url: `${base.origin}${base.pathname}`, ...(user === '' ? {} : { user }) }
}

function s3Target(kind: string, url: string): ConnectionTarget {
  const location = s3Location({ kind, url })
  const { access_key_id, region, path_style } = location
  return {
    kind,
    host: new URL(location.endpoint).host,
    base_url: s3BaseUrl(location),
    user: access_key_id,
    parameters: { region, path_style: String(path_style) },
  }
}

/** The driver's own reading: several hosts, sockets, and what its environment fills in. */
function postgresTarget(kind: string, url: string): ConnectionTarget {
  if (!isPlain(url)) throw new DomainError('not_configured', UNREADABLE)
  const { host, port, path, database, user, connection } = postgres(url, { max: 1, ...ipv6Of(url) }).options
  const named = [...new URL(url.replace(/^[^?]*/, 'postgres://host/')).searchParams]
  const parameters = Object.fromEntries(
    named.map(([name, value]) => [
      name,
      SECRET_PARAMETER.test(name) ? HIDDEN : value.replace(SECRET_OPTION, `$1=${HIDDEN}`),
    ]),
  )
  return {
    kind,
    host: path
      ? String(path)
      : host.map((each, index) => `${each.includes(':') ? `[${each}]` : each}:${port[index]}`).join(','),
    // the driver sends what else the url says after these, in their place
    database: String(connection['database'] ?? database),
    user: String(connection['user'] ?? user),
    ...(named.length === 0 ? {} : { parameters }),
  }
}

const HOST = /^(\[[0-9a-f:.%]+\]|[^@:[\]]*)(:\d{1,5})?$/i

/** One user at most before the hosts, and every port a number: nobody can take a piece of a password for a host. */
function isPlain(url: string): boolean {
  const [, authority = '', path = '', query = ''] = /^[a-z]+:\/\/([^/?#]*)([^?]*)(.*)/i.exec(url) ?? []
  const [hosts = '', ...users] = authority.split('@').reverse()
  const cut = /[@#]/.test(path) || (path === '' && users.length === 0 && query.includes('@'))
  return users.length <= 1 && !cut && hosts.split(',').every((host) => HOST.test(host))
}
