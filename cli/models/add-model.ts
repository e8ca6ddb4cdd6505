import { DomainError } from '#core/errors.ts'
import type { ModelRole } from '#core/models/model.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import { MODEL_CATALOG } from '#platform/models/model-catalog.ts'
import { type ModelText, withModel } from '#platform/models/models-text.ts'
import type { ApiClient } from '../client/api-client.ts'
import type { CliDeps } from '../deps.ts'
import { EXIT } from '../exit-codes.ts'
import { printable } from '../views/format.ts'
import { mustBeSound, readModelsText, writeModelsText } from './models-file.ts'
import { probeLine } from './probe-models.ts'
import { saveIfItAnswers } from './save-models.ts'

export interface AddFlags {
  provider: string
  baseUrl?: string
  key?: string
  model?: string
  priceIn?: number
  priceOut?: number
  priceCachedIn?: number
  priceCacheWrite?: number
  context?: number
  output?: number
  timeout?: string
  role?: ModelRole[]
  /** false with `--no-probe` */
  probe: boolean
  json?: boolean
}

interface AddDeps extends Pick<CliDeps, 'config' | 'out' | 'err' | 'exit'> {
  api(): Pick<ApiClient, 'url' | 'models' | 'probeModel'>
}

/** Adds a model to `models.yaml`, unless the running service cannot get an answer out of it. */
export async function addModel(deps: AddDeps, id: string, flags: AddFlags): Promise<void> {
  const path = deps.config().models.file
  const before = await readModelsText(path)
  if (before !== undefined) mustBeSound(path, before)
  const model = modelOf(deps, id, flags)
  const after = withModel(before, model, flags.role)
  const { roles } = mustBeSound(path, after)
  if (!flags.probe) {
    await writeModelsText(path, after)
    if (flags.json) return deps.out(visibleJson({ added: id, file: path, probed: false }))
    deps.out(printable(`${id}  added to ${path}`))
    deps.out(printable(`  It was not asked, as --no-probe says: svc models probe ${id}`))
    return hintAtRoles(deps, id, roles)
  }
  const probe = await saveIfItAnswers(deps.api(), { path, id, before, after, exit: deps.exit })
  const { limit_field } = probe
  if (limit_field !== undefined) await writeModelsText(path, withModel(before, { ...model, limit_field }, flags.role))
  if (flags.json) deps.out(visibleJson({ added: probe.ok ? id : null, file: path, probed: true, probe }))
  else deps.out(probeLine(probe))
  if (!probe.ok) {
    if (!flags.json) deps.err(printable(`${path} is as it was. To add the model all the same: --no-probe`))
    deps.exit(EXIT.failed)
  }
  if (flags.json) return
  deps.out(printable(`${id}  added to ${path}`))
  hintAtRoles(deps, id, roles)
}

function hintAtRoles({ out }: Pick<CliDeps, 'out'>, id: string, roles: { default?: unknown }): void {
  if (roles.default === undefined) out(printable(`  Nothing has the role default yet: svc models roles default=${id}`))
}

/** Builds a model from the options, and for missing ones from the catalogue. */
function modelOf({ err }: Pick<CliDeps, 'err'>, id: string, flags: AddFlags): ModelText {
  const { provider, model, baseUrl, key, timeout, priceIn, priceOut, context, output } = flags
  const known = MODEL_CATALOG.models.find((each) => each.provider === provider && each.id === (model ?? id))
  const input = priceIn ?? known?.prices.input
  const out = priceOut ?? known?.prices.output
  const limits = { context: context ?? known?.limits.context, output: output ?? known?.limits.output }
  const missing = [
    ...(input === undefined ? ['--price-in'] : []),
    ...(out === undefined ? ['--price-out'] : []),
    ...(limits.context === undefined ? ['--context'] : []),
    ...(limits.output === undefined ? ['--output'] : []),
  ]
  if (input === undefined || out === undefined || limits.context === undefined || limits.output === undefined)
    throw new DomainError(
      'validation_failed',
      `a model without prices or limits is never called, since no cap would hold, and the catalogue does not know ${id} of ${provider}: say ${missing.join(', ')} (0 is a price)`,
    )
  if (known !== undefined && (priceIn === undefined || priceOut === undefined))
    err(`Prices are those of the catalogue, read on ${MODEL_CATALOG.read_at}: check them on the page of ${provider}.`)
  const own = priceIn === undefined && priceOut === undefined ? known?.prices : undefined
  const cached_input = flags.priceCachedIn ?? own?.cached_input
  const cache_write = flags.priceCacheWrite ?? own?.cache_write
  return {
    id,
    provider,
    ...(model !== undefined && { model }),
    ...(baseUrl !== undefined && { base_url: baseUrl }),
    ...(key !== undefined && { key }),
    prices: {
      input,
      output: out,
      ...(cached_input !== undefined && { cached_input }),
      ...(cache_write !== undefined && { cache_write }),
    },
    limits: { context: limits.context, output: limits.output },
    ...(timeout !== undefined && { timeout }),
  }
}
