import type { AskOrigin } from '#core/ask/ask-schema.ts'
import type { Contributor } from '#core/gate/contributors.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { AlertRecord } from '#core/trigger/alert-record.ts'
import type { AttachedAlert, StartLimits } from '#store/runs/run-drafts.ts'

/** A request to start a run, from any source. */
export interface Admission {
  pack: string
  template: string
  inputs: JsonObject
  environment?: string
  profile?: string
  /** name or id of one; without it the default of the template */
  config_preset?: string
  /** the config preset has to be this version still */
  preset_version?: number
  sandbox?: boolean
  dry_run?: boolean
  /** the only lane that a caller may request: otherwise the origin of the request decides */
  lane?: 'background'
  /** the caller stays on the line for the result */
  wait?: boolean
  reason?: string
  labels?: JsonObject
  trigger: JsonObject & { type: string }
  /** the person at the beginning of the chain, where the caller is only its last link (a schedule, an ask action) */
  human_root?: { user_id?: string; via: string[]; cancelled_by?: string[] }
  /** contributors besides its requesters: authors of rules, earlier runs */
  shaped_by?: Contributor[]
  /** of a run that must not start twice, whoever repeats the admission; without one it is fresh */
  run_id?: string
  fingerprint?: string
  /** the alert that requested it */
  alert?: AlertRecord
  alerts?: AttachedAlert[]
  /** limits of starts per fingerprint */
  limits?: StartLimits
  /** every step that acts needs an approval, whatever its template requires */
  gate?: 'approval'
  /** the step of a pipeline that waits for it */
  pipeline?: { id: string; step: string; index?: number }
  /** the answer whose form was sent, as recorded */
  ask?: AskOrigin
  /** if given, the run starts only if the template has this digest */
  template_digest?: string
  /** if given, the run starts only if it is exactly the plan of a preflight */
  plan_hash?: string
}
