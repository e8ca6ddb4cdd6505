import type { Schema } from '#client/create-client.ts'
import { agoText } from '#core/time/format-time.ts'
import { pc, printable } from '../../views/format.ts'
import { paintStatus, statusText } from '../../views/pill-text.ts'
import type { Column } from '../../views/table.ts'
import { type ConnectionField, fieldsOf } from './draft-of.ts'

type Connection = Schema<'Connection'>

/** The columns of `svc connections list`. */
export function connectionColumns(now: number): Column<Connection>[] {
  return [
    { title: 'CONNECTION', text: ({ id }) => id, wide: true },
    { title: 'NAME', text: ({ name }) => name, cut: true },
    { title: 'KIND', text: ({ kind }) => kind },
    { title: 'SECRET', text: ({ secret }) => secret.fingerprint ?? 'none' },
    {
      title: 'STATUS',
      text: ({ status }) => statusText(status),
      paint: (text, { status }) => paintStatus(text, status),
    },
    { title: 'WORKSPACES', text: ({ workspaces }) => workspaces.join(','), cut: true },
    { title: 'BOUND BY', text: boundText, cut: true },
    { title: 'LAST USED', text: (each) => usedText(each, now) },
    { title: 'VERSION', text: ({ version }) => String(version), wide: true },
  ]
}

/** A connection in words, without its secret. */
export function connectionLines(connection: Connection, now: number): string[] {
  const {
    id,
    name,
    kind,
    auth,
    config,
    secret,
    grant,
    status,
    problem,
    last_test: test,
    workspaces,
    version,
  } = connection
  const row = (label: string, value: string) =>
    value === '' ? [] : [`  ${pc.dim(label.padEnd(11))} ${printable(value)}`]
  return [
    printable(`${name} (${id})`),
    ...row('kind', `${kind}, ${auth === 'none' ? 'no authentication' : auth}`),
    ...Object.entries(config).flatMap(([key, value]) => row(key, String(value))),
    ...row('secret', secret.set ? `set, ${secret.fingerprint ?? ''}` : 'none'),
    ...row('authorised', authorizationText(grant, now)),
    ...row('workspaces', workspaces.join(', ')),
    ...row('status', [status, problem ?? test?.detail].filter(Boolean).join(': ')),
    ...row('tested', test === undefined ? '' : agoText(test.at, now)),
    ...row('bound by', boundText(connection)),
    ...row('last used', usedText(connection, now)),
    ...row('uses by day', usesText(connection)),
    ...row('version', String(version)),
  ]
}

/** A setting of a kind of connection, as a row. */
export type KindRow = ConnectionField & { kind: string }

/** All that a kind of connection takes: how it signs in, and its settings. */
export function kindRows(form: Schema<'ConnectionForm'>): KindRow[] {
  const { kind, auth, secret, title } = form
  const signs = {
    name: '--auth',
    takes: auth.join('|'),
    needed: false,
    usual: auth[0] ?? '',
    about: `${title}. ${secret}`,
  }
  return [signs, ...fieldsOf(form)].map((field) => ({ kind, ...field }))
}

export const KIND_COLUMNS: Column<KindRow>[] = [
  { title: 'KIND', text: ({ kind }) => kind },
  { title: 'SETTING', text: ({ name }) => name },
  { title: 'TAKES', text: ({ takes }) => takes },
  { title: 'NEEDED', text: ({ needed }) => (needed ? 'yes' : '') },
  { title: 'DEFAULT', text: ({ usual }) => usual },
  { title: 'ABOUT', text: ({ about }) => about, cut: true },
]

function authorizationText(grant: Connection['grant'], now: number): string {
  if (grant === undefined) return ''
  const { authorized_at, authorized_by, state, scopes } = grant
  return `${state}, ${agoText(authorized_at, now)} by ${authorized_by}, ${scopes.join(' ')}`
}

function boundText({ bound_by }: Connection): string {
  return bound_by.map(({ environment, name }) => `${environment}/${name}`).join(',')
}

/** The newest days first. */
function usesText({ uses_per_day = [] }: Connection): string {
  return uses_per_day
    .toReversed()
    .map(({ day, uses }) => `${day} ${uses}`)
    .join(', ')
}

function usedText({ last_used_at }: Connection, now: number): string {
  return last_used_at ? agoText(last_used_at, now) : 'never'
}
