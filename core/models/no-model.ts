/** What everything says that needs a model where none is bound. */
export const NO_MODEL =
  'No model is bound: add one with `svc models add`, or name a models.yaml with SVC_MODELS_FILE; `svc dev model-server` serves scripted ones for trying.'
