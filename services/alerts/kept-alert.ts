import type { JsonObject } from '#core/json/json.ts'
import { createRedactor, type NamedSecret } from '#core/secret/redactor.ts'
import { namedSecrets } from '#core/secret/split-secrets.ts'
import type { NormalizedAlert } from '#core/trigger/alert.ts'
import { type AlertRecord, alertRecord, MAX_STATES, STARTED_BY_BYTES, STATE_BYTES } from '#core/trigger/alert-record.ts'
import type { AttachedAlert } from '#store/runs/run-drafts.ts'
import type { ServiceContext } from '../context.ts'
import { splitInputs } from '../runs/configure-inputs.ts'

/** The parts of an alert that a run stores; computed on first use, since few duplicates need them. */
interface KeptAlert {
  readonly digest: string
  /** of the alert that starts a run */
  started_by(): AlertRecord
  /** of a member */
  state(): AlertRecord
}

/** Returns the parts of an alert that a run of this template stores, with the values of the template's secret inputs hidden. */
export function keptAlert(
  { packs }: Pick<ServiceContext, 'packs'>,
  alert: NormalizedAlert,
  run: { pack: string; template: string; inputs: JsonObject },
): KeptAlert {
  const record = (most: number) => {
    const schema = packs.findTemplate(run.pack, run.template)?.inputs_schema
    const secrets = namedSecrets(schema === undefined ? {} : splitInputs(schema, run.inputs).secrets)
    return alertRecord(alert, createRedactor([...secrets, ...takenBy(secrets, alert)]), most)
  }
  return {
    get digest() {
      return alert.raw_digest
    },
    started_by: () => record(STARTED_BY_BYTES),
    state: () => record(STATE_BYTES),
  }
}

/** A shorter text also occurs where it is no secret. */
const TELLING_CHARS = 8

/** A rule may add text around the value: `Bearer ${{ alert.annotations.token }}`. */
function takenBy(secrets: readonly NamedSecret[], alert: NormalizedAlert): NamedSecret[] {
  const { labels, annotations, values = {} } = alert
  const texts = [...Object.values(labels), ...Object.values(annotations), ...Object.values(values)]
  return secrets.flatMap(([name, value]) =>
    typeof value === 'string'
      ? texts
          .filter((text) => text.length >= TELLING_CHARS && value.includes(text))
          .map((text): NamedSecret => [name, text])
      : [],
  )
}

export interface Attaching {
  delivery_id: string
  member: string
  /** when it fired, where its sender says that */
  at?: string | undefined
  kept: KeptAlert
}

/** Returns the alerts of one fingerprint for its run: the last of each member has its state if that has changed. */
export function attachedAlerts(
  alerts: readonly Attaching[],
  isChanged: (alert: Attaching) => boolean = () => true,
): AttachedAlert[] {
  const last = new Map(alerts.map((alert) => [alert.member, alert]))
  // one more than are kept, so that the record shows that there were more
  let room = MAX_STATES + 1
  return alerts.map((alert) => {
    const { delivery_id, member, at, kept } = alert
    const folded = { delivery_id, member, digest: kept.digest, ...(at !== undefined && { at }) }
    if (room === 0 || last.get(member) !== alert || !isChanged(alert)) return folded
    room -= 1
    return { ...folded, state: kept.state() }
  })
}
