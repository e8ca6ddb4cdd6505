/** The workflow that tells people about one gate until it is resolved; its id is `action-<gate_id>`. */
export const ACTION_WORKFLOW = 'actionV1'
/** Signal that ends the telling: the gate is resolved. */
export const STAND_DOWN = 'action.stand_down'

export const NOTICE_KINDS = ['opened', 'reminder', 'escalated', 'resolved'] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

/** Input of the workflow `actionV1`. */
export interface ActionInput {
  gate_id: string
  run_id: string
  workspace_id: string
}

export interface ActionResult {
  /** notices that reached somebody, by kind */
  delivered: Record<NoticeKind, number>
  /** true when the gate was resolved, false when its time simply ended */
  stood_down: boolean
}

/** One person or place that is told. */
export interface Addressee {
  channel: string
  recipient: string
}

/** Whom a notice of one kind goes to, and when the next ones are due. */
export interface NoticePlan {
  /** false when nobody needs to hear this any more */
  due: boolean
  addressees: Addressee[]
  remind_at: string | null
  escalate_at: string | null
  /** nobody can be asked after this */
  expires_at: string
  /** a gate that ran out of time is resolved a moment later, and whoever was asked hears of it until here */
  ends_at: string
}

export interface PlanNoticeInput extends ActionInput {
  kind: NoticeKind
}

export interface AnnounceInput extends PlanNoticeInput, Addressee {}

/** `skipped`: told before, or the gate was resolved meanwhile. `failed`: trying again cannot help. */
export interface Announced {
  status: 'delivered' | 'skipped' | 'failed'
}

/** Activities of the action workflow, on the bookkeeping queue. Each is safe to repeat. */
export interface ActionActivities {
  planNotice(input: PlanNoticeInput): Promise<NoticePlan>
  announceGate(input: AnnounceInput): Promise<Announced>
}

/** The workflow of a gate, which is also the last part of its magic link. */
export function actionWorkflowId(gateId: string): string {
  return `action-${gateId}`
}
