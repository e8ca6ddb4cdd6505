import { didYouMean } from '../text/did-you-mean.ts'
import { isPriced, type Model } from './model.ts'

/** What everything says that needs a model where none is bound. */
export const NO_MODEL =
  'No model is bound: add one with `svc models add`, or name a models.yaml with SVC_MODELS_FILE; `svc dev model-server` serves scripted ones for trying.'

/** Said of a name that none of the bound models has. */
export function noSuchModel(name: string, ids: readonly string[]): string {
  return `there is no model ${name}${didYouMean(name, ids)}`
}

/** Why a model is never called, no matter who asks for it; undefined where it may be. */
export function whyNeverCalled(model: Model): string | undefined {
  if (isPriced(model)) return undefined
  const missing = [...(model.prices ? [] : ['prices']), ...(model.limits ? [] : ['limits'])].join(' and no ')
  return `it has no ${missing} in models.yaml, so that no cap would hold`
}
