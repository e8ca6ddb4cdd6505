/** The workflow that tells people about one gate until it is resolved; its id is `action-<gate_id>`. */
export const GATE_NOTICES_WORKFLOW = 'actionV2'
/** Signal to read the gate again: it was resolved, or answered in a user's name. The record says which. */
export const GATE_CHANGED = 'action.stand_down'

/** The workflow that tells people how one run ended; its id is `end-<run_id>`. */
export const END_WORKFLOW = 'endV1'

/** The workflow that sends one message about a halt: that it was set, what it has refused, or that it was lifted. */
export const HALT_WORKFLOW = 'haltV1'

/** The workflow that sends one message of a digest: what waits for one recipient, when too much comes at once. */
export const DIGEST_WORKFLOW = 'digestV1'

/** The workflow that sends one message about what was authorised for a connection: that it failed, is unknown, or ends. */
export const CONNECTION_WORKFLOW = 'connectionV1'

/** Notices that ask for an answer, and are pointless after the gate. */
export const ASKING_KINDS = ['opened', 'reminder', 'escalated'] as const
export type AskingKind = (typeof ASKING_KINDS)[number]

export const NOTICE_KINDS = [...ASKING_KINDS, 'answered_for_you', 'resolved'] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

export function isAsking(kind: NoticeKind): kind is AskingKind {
  return ASKING_KINDS.some((each) => each === kind)
}

export const HALT_NOTICE_KINDS = ['halt_set', 'halt_refused', 'halt_lifted'] as const
export type HaltNoticeKind = (typeof HALT_NOTICE_KINDS)[number]

/** A message of a digest, and a change of the one that was sent last. */
export const DIGEST_NOTICE_KINDS = ['digest', 'digest_edit'] as const
export type DigestNoticeKind = (typeof DIGEST_NOTICE_KINDS)[number]

export const CONNECTION_NOTICE_KINDS = ['connection_failed', 'connection_unknown', 'connection_ends'] as const
export type ConnectionNoticeKind = (typeof CONNECTION_NOTICE_KINDS)[number]

/** Retry policy of a notice, where its channel has none of its own. */
export const NOTICE_RETRY = { first_ms: 1_000, factor: 2, most_ms: 300_000 } as const

/** The identifiers of a gate: the input of the workflow `actionV2`. Its recipients are read from the record. */
export interface GateNoticesInput {
  gate_id: string
  run_id: string
  workspace_id: string
}

export interface GateNoticesResult {
  /** notices that were delivered, by kind */
  delivered: Record<NoticeKind, number>
  /** true when the gate was resolved, false when its time simply ended; the name is kept, histories have it */
  stood_down: boolean
}

/** A run that has ended, by its names: the input of the workflow `endV1`. */
export interface EndInput {
  run_id: string
  workspace_id: string
}

export interface NoticesResult {
  /** notices that were delivered */
  delivered: number
}

/** The input of the workflow `haltV1`: a message about a halt by its number. Recipients and text are read from the record. */
export interface HaltInput {
  halt_id: string
  notice: number
}

/** The input of the workflow `digestV1`: a message of a digest by its number. */
export interface DigestInput {
  digest_id: string
  notice: number
}

/** The input of the workflow `connectionV1`: a message about an authorisation by its number. */
export interface ConnectionInput {
  authorization_id: string
  notice: number
}

/** A recorded notice that was not delivered yet. */
export interface PlannedNotice<
  Kind extends NoticeKind | HaltNoticeKind | DigestNoticeKind | ConnectionNoticeKind | 'ended' = NoticeKind,
> {
  notice_id: number
  kind: Kind
  channel: string
}

/** The notices of a gate that are due now, and when the next ones are. */
export interface NoticePlan {
  /** false when the gate is resolved: the planned notices then report that to everyone who got one */
  open: boolean
  notices: PlannedNotice[]
  /** by the clock of the database, as the times below; absent in recorded histories */
  now?: string
  next_at: string | null
  /** the gate takes no answer after this */
  expires_at: string
  /** a gate that expired is resolved a moment later; those who were asked get notices until here */
  ends_at: string
}

export interface AnnounceClaim extends GateNoticesInput {
  notice_id: number
}

export interface AnnounceEndClaim extends EndInput {
  notice_id: number
}

export interface AnnounceHaltClaim extends HaltInput {
  notice_id: number
}

export interface AnnounceDigestClaim extends DigestInput {
  notice_id: number
}

export interface AnnounceConnectionClaim extends ConnectionInput {
  notice_id: number
}

/**
 * `skipped`: it was delivered before, or is out of date: the gate is resolved, the halt lifted, or a later message of the digest due.
 * `failed`: a retry cannot help.
 */
export interface Announced {
  status: 'delivered' | 'skipped' | 'failed'
}

/** Activities that send notices, on the queue `ledger`. Each is safe to repeat. */
export interface NoticeActivities {
  planNotices(gate: GateNoticesInput): Promise<NoticePlan>
  announceGate(claim: AnnounceClaim): Promise<Announced>
  planEnd(run: EndInput): Promise<PlannedNotice<'ended'>[]>
  announceEnd(claim: AnnounceEndClaim): Promise<Announced>
  planHalt(halt: HaltInput): Promise<PlannedNotice<HaltNoticeKind>[]>
  announceHalt(claim: AnnounceHaltClaim): Promise<Announced>
  planDigest(digest: DigestInput): Promise<PlannedNotice<DigestNoticeKind>[]>
  announceDigest(claim: AnnounceDigestClaim): Promise<Announced>
  planConnection(connection: ConnectionInput): Promise<PlannedNotice<ConnectionNoticeKind>[]>
  announceConnection(claim: AnnounceConnectionClaim): Promise<Announced>
}

/** The workflow of a gate, which is also the last part of its magic link. */
export function gateNoticesWorkflowId(gateId: string): string {
  return `action-${gateId}`
}

export function endWorkflowId(runId: string): string {
  return `end-${runId}`
}

export function haltWorkflowId({ halt_id, notice }: HaltInput): string {
  return `notice-${notice}-${halt_id}`
}

export function digestWorkflowId({ digest_id, notice }: DigestInput): string {
  return `notice-${notice}-${digest_id}`
}

export function connectionWorkflowId({ authorization_id, notice }: ConnectionInput): string {
  return `notice-${notice}-${authorization_id}`
}
