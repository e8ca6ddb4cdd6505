import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { JsonObject } from '#core/json/json.ts'
import { createTestApi } from './api-client.ts'
import { codeOf } from './auth-api.ts'
import { createTestDatabase } from './database.ts'
import { onePack } from './one-pack.ts'

export const OF = { pack: 'incident', template: 'service-recovery' }
export const PRESETS_SCHEMA: JsonObject = {
  type: 'object',
  required: ['url'],
  properties: {
    url: { type: 'string', minLength: 1 },
    action: { enum: ['restart', 'rollback'], default: 'restart' },
    login: { type: 'object', properties: { user: { type: 'string' }, password: { type: 'string', writeOnly: true } } },
  },
}
const NO_LISTS = () => ({ matched: [], approval_roles: [], channels: [], broken_policies: [] })

export interface KeptPreset {
  id: string
  name: string
  version: number
  is_default: boolean
  digest: string
  etag: string
  values: { inputs: JsonObject }
  problems: { pointer: string }[]
}

/** An API with one template that takes some inputs and has a secret one, where everybody is the local owner. */
export async function openPresetWorld(postgresUrl: string) {
  const database = await createTestDatabase(postgresUrl)
  const packs = onePack()
  const found = packs.findTemplate(OF.pack, OF.template)
  let schema = PRESETS_SCHEMA
  const findTemplate = (pack: string, name: string) =>
    found && pack === OF.pack && name === OF.template ? { ...found, inputs_schema: schema } : undefined
  const decide = () => ({ ...NO_LISTS(), effect: 'allow_auto' as const, dry_run: false, snapshot_hash: 'sha256:0' })
  const policies = { effective: async () => ({ snapshot_hash: 'sha256:0', decide }) }
  const notAsked = () => Promise.reject(new Error('not asked'))
  const engine = { start: async () => {}, decide: notAsked, cancel: notAsked, alive: notAsked }
  const api = await createTestApi(database, { services: { packs: { ...packs, findTemplate }, policies, engine } })
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    api.app.request(path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  return {
    api,
    database,
    send,
    /** the template takes other inputs from now on */
    takes(next: JsonObject) {
      schema = next
    },
    async keep(kind: 'config' | 'input', name: string, inputs: object): Promise<KeptPreset> {
      const answer = await send('POST', `/console/api/${kind}-presets`, { ...OF, name, values: { inputs } })
      if (answer.status !== 201) throw new Error(`no preset was made: ${await answer.text()}`)
      return (await answer.json()) as KeptPreset
    },
    async configure(inputs: object): Promise<void> {
      const answer = await send('PUT', `/console/api/workflows/${OF.pack}/${OF.template}/config`, {
        values: { inputs },
      })
      if (answer.status !== 200) throw new Error(`nothing was set: ${await answer.text()}`)
    },
    start: (body: object, headers: Record<string, string> = {}) =>
      send('POST', `/packs/${OF.pack}/${OF.template}/run`, body, headers),
    async close() {
      await api.close()
      await database.drop()
    },
  }
}

export type PresetWorld = Awaited<ReturnType<typeof openPresetWorld>>

/** What is refused as a value of any kind: by its status, its code and the places that are named. */
export async function refusedValues(answer: Response): Promise<[number, string, string[]]> {
  const { errors = [] } = (await answer.clone().json()) as { errors?: { pointer: string }[] }
  const [status, code] = await codeOf(answer)
  return [status, code, errors.map(({ pointer }) => pointer)]
}

/** As the default workspace sees it, also where the caller is at home elsewhere. */
export const HERE = { 'x-svc-workspace': DEFAULT_WORKSPACE_ID }
