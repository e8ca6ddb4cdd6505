import { isPriced, type Model } from './model.ts'

/** Why a model is never called, whoever asks for it; undefined where it may be. */
export function whyNeverCalled(model: Model): string | undefined {
  if (isPriced(model)) return undefined
  const missing = [...(model.prices ? [] : ['prices']), ...(model.limits ? [] : ['limits'])].join(' and no ')
  return `it has no ${missing} in models.yaml, so that no cap would hold`
}
