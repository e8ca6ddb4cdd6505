import { ApiError } from '../../lib/api.ts'
import { CONNECTIONS } from '../../strings/connections.ts'
import type { Contract, Inputs } from '../start/api.ts'
import { type InputFault, propertiesOf } from '../start/form-schema.ts'
import type { Auth, Connection, KindForm } from './api.ts'

const words = CONNECTIONS.form

/** A connection as it is written, apart from its name and its secret. */
export interface Place extends Pick<Connection, 'kind' | 'auth' | 'workspaces'> {
  config: Inputs
}

/** As the text of which two versions are compared; the secret by its fingerprint. */
export function textOf({ kind, auth, config, workspaces }: Place, secret?: string): string {
  return JSON.stringify({ kind, auth, config, workspaces, secret }, null, 2)
}

export const placeIn = (text: string) => JSON.parse(text) as Place

export const textOfConnection = (connection: Connection) => textOf(connection, connection.secret.fingerprint)

export function emptyPlace({ kind, auth: [auth = 'none'] }: KindForm): Place {
  return { kind, auth, config: {}, workspaces: ['default'] }
}

/** What a way to sign in does not do without. */
const NEEDED: Partial<Record<Auth, string>> = { basic: 'user', oauth2: 'client_id' }

/** The fields of a kind, without those of other ways to sign in. */
export function fieldsOf({ schema, auth: ways }: KindForm, auth: Auth): Contract['inputs'] {
  const fields = Object.entries(propertiesOf(schema)).filter(
    ([, { group }]) => group === auth || !ways.some((each) => each === group),
  )
  const needed = NEEDED[auth]
  const required = (schema['required'] ?? []) as string[]
  return {
    ...schema,
    properties: Object.fromEntries(fields),
    required: fields.map(([name]) => name).filter((name) => required.includes(name) || name === needed),
  }
}

/** The values of the fields that there are. */
export function valuesIn(schema: Contract['inputs'], config: Inputs): Inputs {
  const names = Object.keys(propertiesOf(schema))
  return Object.fromEntries(Object.entries(config).filter(([name]) => names.includes(name)))
}

/** A refusal, by the fields that it is about. */
export interface Refused {
  config: InputFault[]
  fields: Partial<Record<'name' | 'auth' | 'secret' | 'workspaces', string>>
  /** what is about no field */
  rest: Error | null
}

export function refusedFields(error: Error | null, isNew: boolean): Refused {
  if (!(error instanceof ApiError)) return { config: [], fields: {}, rest: error }
  if (error.code === 'secret_required')
    return { config: [], fields: { secret: isNew ? words.secret_missing : words.secret_moved }, rest: null }
  const config: InputFault[] = []
  const fields: Record<string, string> = {}
  for (const { loc = [], msg } of error.errors) {
    const [, field, ...rest] = loc
    if (field === 'config') config.push({ loc: rest, msg })
    else if (field !== undefined) fields[field] = msg
  }
  return { config, fields, rest: config.length + Object.keys(fields).length === 0 ? error : null }
}
