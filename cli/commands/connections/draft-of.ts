import type { Schema } from '#client/create-client.ts'
import type { ConnectionKind } from '#core/connection/kind-schema.ts'
import { DomainError } from '#core/errors.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import type { ConnectionDraft, ConnectionEdit } from '../../client/api-connections.ts'

type Form = Schema<'ConnectionForm'>
type Place = Pick<ConnectionEdit, 'kind' | 'auth' | 'config' | 'workspaces'>

/** A connection as a file describes it. */
export type ConnectionFile = Place & { name?: string }

/** What options and a file say of a connection, beside its name and its secret. */
export interface SettingsFlags {
  kind?: ConnectionKind
  auth?: NonNullable<ConnectionDraft['auth']>
  set: string[]
  workspace?: string[]
}

const KEYS = ['name', 'kind', 'auth', 'config', 'workspaces']

/** Checks which keys a file has; the service checks what they hold. Throws `validation_failed`. */
export function settingsOfFile(file: Record<string, unknown>): ConnectionFile {
  for (const key of Object.keys(file)) {
    if (key === 'secret')
      throw new DomainError('validation_failed', 'a secret does not belong in this file: use --secret-file')
    if (!KEYS.includes(key))
      throw new DomainError('validation_failed', `a connection has no ${JSON.stringify(key)}${didYouMean(key, KEYS)}`)
  }
  return file as ConnectionFile
}

/** The settings that options say over a file, and both over what there is. Throws `validation_failed`. */
export function settingsOf(
  { kind, auth, set, workspace }: SettingsFlags,
  file: Place,
  { before, forms }: { before: Pick<Schema<'Connection'>, 'kind' | 'config'> | undefined; forms: readonly Form[] },
): Place {
  const said = kind ?? file.kind
  const form = forms.find((each) => each.kind === (said ?? before?.kind))
  if (form === undefined) {
    const kinds = forms.map((each) => each.kind)
    const given = said === undefined ? '--kind says what it is' : `there is no kind ${JSON.stringify(said)}`
    throw new DomainError('validation_failed', `${given}: ${kinds.join(', ')}${didYouMean(said ?? '', kinds)}`)
  }
  const kept = form.kind === before?.kind ? before.config : {}
  const config = set.length === 0 ? file.config : settings(form, set, file.config ?? kept)
  const slugs = workspace ?? file.workspaces
  const signs_in = auth ?? file.auth
  return {
    ...(said !== undefined && { kind: said }),
    ...(signs_in !== undefined && { auth: signs_in }),
    ...(config !== undefined && { config }),
    ...(slugs !== undefined && { workspaces: slugs }),
  }
}

/** Whether a connection of these settings signs in; the usual way of a kind is its first. */
export function signsIn({ kind, auth }: Place, forms: readonly Form[]): boolean {
  return (auth ?? forms.find((each) => each.kind === kind)?.auth[0]) !== 'none'
}

/** `key=value` over a configuration, as the kind reads them; `key=` takes one away. */
function settings(form: Form, pairs: readonly string[], config: object): Record<string, unknown> {
  const known = fieldsOf(form)
  const given = pairs.map((pair): [string, unknown] => {
    const at = pair.indexOf('=')
    const [key, value] = [pair.slice(0, at), pair.slice(at + 1)]
    const field = known.find(({ name }) => name === key)
    if (field === undefined) {
      const names = known.map(({ name }) => name)
      throw new DomainError(
        'validation_failed',
        `a connection of the kind ${form.kind} has no setting ${JSON.stringify(key)}${didYouMean(key, names)}; see which there are with: svc connections kinds`,
      )
    }
    return [key, value === '' ? undefined : settingOf(field, value)]
  })
  return Object.fromEntries(
    Object.entries({ ...config, ...Object.fromEntries(given) }).filter(([, value]) => value !== undefined),
  )
}

/** The value as the kind reads it; what is none is refused by the service, in its words. */
function settingOf({ takes }: ConnectionField, text: string): unknown {
  if (takes === 'integer' && /^\d{1,9}$/.test(text)) return Number(text)
  if (takes === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  if (takes === 'array') return text.split(',').map((each) => each.trim())
  return text
}

/** A setting of a kind. */
export interface ConnectionField {
  name: string
  takes: string
  needed: boolean
  usual: string
  about: string
}

/** The settings of a kind, from the JSON Schema of its configuration. */
export function fieldsOf({ schema }: Pick<Form, 'schema'>): ConnectionField[] {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<
      string,
      { type?: string; enum?: string[]; default?: unknown; title?: string; description?: string }
    >
    required?: string[]
  }
  return Object.entries(properties).map(
    ([name, { type = 'string', enum: words, default: usual, title = '', description }]) => ({
      name,
      takes: words === undefined ? type : words.join('|'),
      needed: required.includes(name) && usual === undefined,
      usual: usual === undefined ? '' : String(usual),
      about: [title, description].filter(Boolean).join('. '),
    }),
  )
}
