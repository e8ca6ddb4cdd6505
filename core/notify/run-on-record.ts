import type { JsonObject } from '../json/json.ts'
import type { Risk } from '../policy/types.ts'
import type { AlertRecord } from '../trigger/alert-record.ts'

/** What every message about a run takes from its record. */
export interface RunOnRecord {
  run_id: string
  workspace_id: string
  pack: string
  template: string
  /** the template's title */
  title: string
  environment: string
  environment_class: string
  risk: Risk
  dry_run: boolean
  provenance: JsonObject
  /** the alert that started the run */
  alert: AlertRecord | null
}
