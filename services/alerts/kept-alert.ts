import type { JsonObject } from '#core/json.ts'
import { createRedactor } from '#core/secret/redactor.ts'
import { namedSecrets } from '#core/secret/split-secrets.ts'
import type { NormalizedAlert } from '#core/trigger/alert.ts'
import { type AlertRecord, alertRecord, STARTED_BY_BYTES, STATE_BYTES } from '#core/trigger/alert-record.ts'
import type { ServiceContext } from '../context.ts'
import { splitInputs } from '../runs/split-inputs.ts'

/** What a run keeps of an alert; made when it is asked for, which few duplicates are. */
export interface KeptAlert {
  readonly digest: string
  /** of the one that starts a run */
  started_by(): AlertRecord
  /** of a member */
  state(): AlertRecord
}

/** What a run of this template keeps of an alert: what the template's secret inputs took from it is hidden. */
export function keptAlert(
  { packs }: Pick<ServiceContext, 'packs'>,
  alert: NormalizedAlert,
  run: { pack: string; template: string; inputs: JsonObject },
): KeptAlert {
  const record = (most: number) => {
    const schema = packs.findTemplate(run.pack, run.template)?.inputs_schema
    const secrets = schema === undefined ? {} : splitInputs(schema, run.inputs).secrets
    return alertRecord(alert, createRedactor(namedSecrets(secrets)), most)
  }
  return {
    get digest() {
      return alert.raw_digest
    },
    started_by: () => record(STARTED_BY_BYTES),
    state: () => record(STATE_BYTES),
  }
}
