/** What starts runs, as `provenance.trigger.type` names it. */
export const TRIGGER_TYPES = [
  'alert',
  'pattern',
  'manual',
  'schedule',
  'ingress',
  'pipeline',
  'bus',
  'direct',
  'ask',
  'replay',
] as const
export type TriggerType = (typeof TRIGGER_TYPES)[number]

/** What people look for among the runs of a workspace; every member narrows. */
export interface RunWish {
  pack?: string | undefined
  template?: string | undefined
  environment?: string | undefined
  trigger?: TriggerType | undefined
  /** id of the pipeline that started them */
  pipeline?: string | undefined
  /** a label by its name, and by its value where one is given */
  label?: { name: string; value?: string | undefined } | undefined
  /** text in the id, the template, the reason, the fingerprint or the environment, in whatever case */
  q?: string | undefined
  since?: string | undefined
  until?: string | undefined
}
