import type { Schema } from '../../../client/create-client.ts'
import { sameJson } from './same-json.ts'

type Trigger = NonNullable<Schema<'Run'>['trigger']>
type Member = Trigger['members'][number]

/** Splits the members of a run's alert: the one that started it as it is now, and the others, with the newest time of all. */
export function attachedAlerts({ alert, members, members_cut }: Trigger, attached_count: number) {
  const same = members.find(({ labels, title }) => title === alert.title && sameJson(labels, alert.labels))
  const own = same ?? members[0]
  const others = members.filter((member) => member !== own)
  return {
    own,
    others,
    /** the record keeps no more than the first members */
    count: members_cut || members.length === 0 ? attached_count : others.length,
    updated_at: members
      .map(({ updated_at }: Member) => updated_at)
      .sort()
      .at(-1),
  }
}
