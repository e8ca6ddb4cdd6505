import { CloudEvent } from 'cloudevents'
import type { GateNotice } from '#core/notify/types.ts'

/** A notice as the event that a webhook carries. */
export function noticeEvent(notice: GateNotice): CloudEvent<object> {
  const { id, kind, time, workspace_id, ...data } = notice
  return new CloudEvent({
    id,
    type: kind,
    source: `/workspaces/${workspace_id}`,
    subject: notice.run_id,
    time,
    datacontenttype: 'application/json',
    workspaceid: workspace_id,
    data,
  })
}
