import type { Json } from '../json/json.ts'

/** An event as CloudEvents 1.0 writes it in JSON. Its `type` is the topic it is published on; `workspaceid` is our extension. */
export interface CloudEvent {
  specversion: '1.0'
  /** unique within its source; who publishes the same event again gives it the same id */
  id: string
  source: string
  type: string
  subject?: string
  time: string
  datacontenttype: 'application/json'
  workspaceid: string
  /** the extension "partitionkey": the subject of the event, for readers that group by it */
  partitionkey?: string
  data: Json
}

/** Members of an event that expressions may name. */
export const EVENT_MEMBERS: ReadonlySet<string> = new Set<keyof CloudEvent>([
  'specversion',
  'id',
  'source',
  'type',
  'subject',
  'time',
  'datacontenttype',
  'workspaceid',
  'partitionkey',
  'data',
])

/** The parts of an event that vary; the rest follows. */
export type CloudEventParts = Pick<CloudEvent, 'id' | 'source' | 'type' | 'time' | 'data'> &
  Partial<Pick<CloudEvent, 'subject' | 'partitionkey'>> & { workspace_id: string }

/** Writes a CloudEvents 1.0 record. */
export function cloudEvent({ workspace_id, subject, partitionkey, data, ...parts }: CloudEventParts): CloudEvent {
  return {
    specversion: '1.0',
    ...parts,
    ...(subject !== undefined && { subject }),
    datacontenttype: 'application/json',
    workspaceid: workspace_id,
    ...(partitionkey !== undefined && { partitionkey }),
    data,
  }
}
