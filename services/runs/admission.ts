import type { AskOrigin } from '#core/ask/ask-schema.ts'
import type { Contributor } from '#core/gate/contributors.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { AlertRecord } from '#core/trigger/alert-record.ts'
import type { AttachedAlert, StartLimits } from '#store/runs/run-drafts.ts'

/** A request to start a run, no matter what it came from. */
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
  /** all that a caller may ask for: the lane follows from where the request comes from */
  lane?: 'background'
  /** the caller stays on the line for the result */
  wait?: boolean
  reason?: string
  labels?: JsonObject
  trigger: JsonObject & { type: string }
  /** the person at the beginning of the chain, where the caller is only its last link (a schedule, an ask action) */
  human_root?: { user_id?: string; via: string[]; cancelled_by?: string[] }
  /** who shaped it beside those in whose name it is asked for: authors of rules, earlier runs */
  shaped_by?: Contributor[]
  /** of a run that must not start twice, no matter who repeats the admission; without one it is fresh */
  run_id?: string
  fingerprint?: string
  /** what asked for it, where that is an alert */
  alert?: AlertRecord
  alerts?: AttachedAlert[]
  /** how often its fingerprint may start a run */
  limits?: StartLimits
  /** everything of it that acts asks for an approval, no matter what its template says */
  gate?: 'approval'
  /** the step of a pipeline that waits for it */
  pipeline?: { id: string; step: string; index?: number }
  /** the answer whose form was sent, as its record bears out */
  ask?: AskOrigin
  /** when given, the run starts only if the template is the one that was shown */
  template_digest?: string
  /** when given, the run starts only if it is exactly what a preflight showed */
  plan_hash?: string
}
