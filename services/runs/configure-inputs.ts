import { DomainError } from '#core/errors.ts'
import type { Contributor } from '#core/gate/contributors.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { JsonObject } from '#core/json/json.ts'
import { validateInputs } from '#core/plan/validate-inputs.ts'
import { layInputs } from '#core/preset/check-preset-values.ts'
import { secretPaths } from '#core/secret/secret-paths.ts'
import { type SplitInputs, splitSecrets } from '#core/secret/split-secrets.ts'
import type { PresetRow } from '#store/authored/presets.ts'
import type { ServiceContext } from '../context.ts'

const known = new WeakMap<JsonObject, string[]>()

/** Separates secret inputs from the others, by the schema of their template. */
export function splitInputs(schema: JsonObject, given: JsonObject): SplitInputs {
  const paths = known.get(schema) ?? secretPaths(schema)
  known.set(schema, paths)
  return splitSecrets(given, paths)
}

export interface InputsRequest {
  pack: string
  template: string
  inputs: JsonObject
  /** name or id of a config preset; without one the default is taken, where there is one */
  config_preset?: string | undefined
  /** the start is refused when the preset has changed */
  preset_version?: number | undefined
  /** true: a user filled in a form, perhaps from an input preset */
  by_hand?: boolean
}

export interface ConfiguredInputs {
  /** inputs of the start, over the preset, over the workspace's defaults of the template */
  inputs: JsonObject
  config_preset?: string
  /** for the record: which values, by their digests */
  provenance: JsonObject
  /** everyone who wrote the values */
  authors: Contributor[]
}

/** Returns the inputs of a start. Throws `validation_failed` for an unknown preset, or another version than the pinned one. */
export async function configureInputs(
  ctx: Pick<ServiceContext, 'presets' | 'workspace_id' | 'sha256'>,
  { pack, template, inputs, config_preset, preset_version, by_hand = false }: InputsRequest,
): Promise<ConfiguredInputs> {
  const rows = await ctx.presets.ofStart(ctx.workspace_id, {
    pack,
    template,
    preset: config_preset,
    ...(by_hand && { given: inputs }),
  })
  const workflow = rows.find(({ kind }) => kind === 'workflow')
  const presets = rows.filter(({ kind }) => kind === 'config')
  const preset = presets.find(({ id }) => id === config_preset) ?? presets[0]
  if (config_preset !== undefined && preset === undefined) {
    const why = `there is no config preset ${config_preset} of ${pack}/${template}`
    throw refusePreset('config_preset', why, 'unknown_config_preset')
  }
  if (preset_version !== undefined && preset?.version !== preset_version) {
    const why = `the config preset ${config_preset} is version ${preset?.version} now, and ${preset_version} is pinned`
    throw refusePreset('preset_version', why, 'changed_config_preset')
  }
  const digest = (row: PresetRow) => `sha256:${ctx.sha256(canonicalText(row.inputs))}`
  return {
    authors: [workflow, preset, ...rows.filter(({ kind }) => kind === 'input')].flatMap((row) =>
      row === undefined ? [] : authorsOf(row),
    ),
    inputs: layInputs(workflow?.inputs, preset?.inputs, inputs),
    ...(preset !== undefined && { config_preset: preset.name }),
    provenance: {
      ...(workflow !== undefined && { config: { version: workflow.version, digest: digest(workflow) } }),
      ...(preset !== undefined && {
        config_preset: { id: preset.id, name: preset.name, version: preset.version, digest: digest(preset) },
        preset_version: preset.version,
      }),
    },
  }
}

const WRITTEN = { workflow: 'wrote_config', config: 'wrote_config_preset', input: 'wrote_input_preset' } as const

function authorsOf({ kind, name, pack, template, author, authors = [] }: PresetRow): Contributor[] {
  const what = kind === 'workflow' ? `${pack}/${template}` : name
  return [...new Set([...authors, author])].map((id) => ({ id, did: WRITTEN[kind], what }))
}

function refusePreset(field: string, message: string, type: string): DomainError {
  return new DomainError('validation_failed', message, {
    errors: [{ pointer: `/${field}`, loc: [field], msg: message, type }],
  })
}

/** The inputs with the defaults of their template's schema. Throws `validation_failed` with every fault. */
export function mustFit(schema: JsonObject, inputs: JsonObject, what = 'template'): JsonObject {
  const { valid, errors, normalized } = validateInputs(schema, inputs)
  if (valid) return normalized
  throw new DomainError('validation_failed', `the inputs do not fit the ${what}`, {
    errors: errors.map((each) => ({ ...each, pointer: `/inputs${each.pointer}`, loc: ['inputs', ...each.loc] })),
  })
}
