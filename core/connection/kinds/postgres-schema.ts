import { z } from 'zod'
import { percentDecoded } from '../../text/text.ts'
import { defineKind, host, Port, Text, User } from './define-kind-schema.ts'

const PostgresConfig = z.strictObject({
  host: host('db.example.com'),
  port: Port.default(5_432).meta({ title: 'Port' }),
  database: Text.regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$/, 'letters, digits, underscores, dots and dashes').meta({
    title: 'Database',
    example: 'app',
  }),
  user: User.meta({ title: 'User', example: 'svc' }),
  sslmode: z
    .enum(['disable', 'prefer', 'require', 'verify-full'])
    .default('require')
    .meta({ title: 'TLS', description: '`verify-full` also checks the certificate' }),
})

export const postgresKind = defineKind<z.output<typeof PostgresConfig>>({
  title: 'PostgreSQL database',
  auth: ['basic', 'none'],
  secret: 'Password',
  config: PostgresConfig,
  problem: () => undefined,
  // a weaker TLS mode would show the password to others
  address: ({ host, port, sslmode }) => `${host.toLowerCase()}:${port} ${sslmode}`,
  leadsTo: ({ host, port, database }) => `${host}:${port}/${database}`,
  url({ host, port, database, user, sslmode }, auth, secret) {
    const password = auth === 'none' ? '' : `:${encodeURIComponent(secret)}`
    return `postgres://${encodeURIComponent(user)}${password}@${host}:${port}/${database}?sslmode=${sslmode}`
  },
})

/** The password in a url, which may name several hosts; empty without one. */
export function postgresPassword(url: string): string {
  return percentDecoded(/^[a-z]+:\/\/[^/?#@:]*:([^/?#@]*)@/.exec(url)?.[1] ?? '')
}
