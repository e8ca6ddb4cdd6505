import { z } from 'zod'
import type { Schema } from '#client/create-client.ts'
import type { ApiClient } from '../client/api-client.ts'
import { pipelineIdOf } from '../pipelines/pipeline-id.ts'
import type { Candidate, Names } from './candidates.ts'

const MAX_LISTED = 50
const inputsSchema = z.object({ properties: z.record(z.string(), z.unknown()) })

export type NamingApi = Pick<
  ApiClient,
  | 'runs'
  | 'packs'
  | 'workspaces'
  | 'users'
  | 'apiKeys'
  | 'connections'
  | 'schedules'
  | 'pipelines'
  | 'pipeline'
  | 'bundles'
  | 'contract'
  | 'callableModels'
  | 'corpora'
>

/** Names from the service: each list is read on demand. */
export function serviceNames(api: NamingApi): Names {
  const pipelinesIn = async (bundle: string) =>
    (await api.bundles()).find(({ path }) => path === bundle)?.pipelines ?? []
  const runs = async () => (await api.runs({}, MAX_LISTED)).items
  return {
    async runs() {
      return (await runs()).map(({ id, status, pack, template }) => ({
        word: id,
        about: `${status} ${pack}/${template}`,
      }))
    },
    async templates() {
      return (await api.packs()).map((each) => ({ word: nameOf(each), about: each.title }))
    },
    async packs() {
      return unique((await api.packs()).map(({ pack }) => pack))
    },
    // environments of runs: the caller has no other list of them
    async environments() {
      return unique((await runs()).map(({ environment }) => environment))
    },
    async profiles() {
      return unique((await runs()).map(({ profile }) => profile))
    },
    async models() {
      return unique((await api.callableModels()).data.map(({ id }) => id))
    },
    async corpora() {
      return (await api.corpora()).map(({ name }) => ({ word: name }))
    },
    async workspaces() {
      return (await api.workspaces(MAX_LISTED)).items.map(({ slug, name }) => ({ word: slug, about: name }))
    },
    async users() {
      return (await api.users(MAX_LISTED)).items.map(({ id, email, display_name }) => ({
        word: email ?? id,
        ...(display_name !== undefined && { about: display_name }),
      }))
    },
    async keys() {
      const good = (await api.apiKeys()).filter(({ status }) => status === 'active')
      return good.map(({ id, name }) => ({ word: id, about: name }))
    },
    async connections() {
      return (await api.connections()).map(({ name, kind }) => ({ word: name, about: kind }))
    },
    async schedules() {
      return (await api.schedules()).map(({ id, name }) => ({ word: id, about: name }))
    },
    async inputs(template) {
      const found = (await api.packs()).find((each) => nameOf(each) === template)
      const { properties } = inputsSchema.safeParse(found?.inputs).data ?? { properties: {} }
      return Object.keys(properties).map((name) => ({ word: `${name}=` }))
    },
    async presets(template) {
      const [pack = '', name = ''] = template.split('/')
      return unique((await api.contract(pack, name)).presets.map((preset) => preset.name))
    },
    async pipelines() {
      const { items } = await api.pipelines({}, MAX_LISTED)
      return items.map(({ id, status, name }) => ({ word: id, about: `${status} ${name}` }))
    },
    async bundles() {
      const startable = (await api.bundles()).filter(({ faults }) => faults.length === 0)
      return startable.map(({ path, pipelines }) => ({
        word: path,
        about: pipelines.map(({ name }) => name).join(', '),
      }))
    },
    async pipelinesOf(bundle) {
      return (await pipelinesIn(bundle)).map(({ name, title }) => ({ word: name, about: title }))
    },
    async pipelineInputs(bundle, pipeline) {
      const all = await pipelinesIn(bundle)
      const found = all.filter(({ name }) => pipeline === undefined || name === pipeline)
      const names = found.flatMap(({ inputs_schema }) =>
        Object.keys(inputsSchema.safeParse(inputs_schema).data?.properties ?? {}),
      )
      return unique(names.map((name) => `${name}=`))
    },
    async steps(pipelineId) {
      const { steps } = await api.pipeline(await pipelineIdOf(api, pipelineId))
      return steps.map(({ id, state }) => ({ word: id, about: state }))
    },
  }
}

function nameOf({ pack, template }: Schema<'PackTemplate'>): string {
  return `${pack}/${template}`
}

function unique(words: string[]): Candidate[] {
  return [...new Set(words)].sort().map((word) => ({ word }))
}
