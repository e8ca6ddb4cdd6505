import { DomainError } from '#core/errors.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { JsonObject } from '#core/json/json.ts'
import {
  ASKING_KINDS,
  type AskingKind,
  type ConnectionInput,
  type ConnectionNoticeKind,
  type DigestInput,
  type DigestNoticeKind,
  type EndInput,
  type HaltInput,
  type HaltNoticeKind,
  type NoticeKind,
  type PlannedNotice,
} from '#core/notify/contract.ts'
import { cutText } from '#core/text/text.ts'
import { asJson, type Db } from '../db.ts'

/** A recipient. */
export interface Addressee {
  channel: string
  recipient: string
}

/** A recipient, and how their channel coalesces notices; absent where each has a message of its own. */
export interface DigestAddressee extends Addressee {
  /** the name that `fold_notice` (store/functions/digests.sql) reads */
  fold?: {
    /** notices that it sends one by one in a minute */
    per_minute: number
    /** it can change what it has sent */
    edits: boolean
    /** the id of a new digest, if there is to be one */
    digest_id: string
  }
}

type Subject = 'gate_id' | 'run_id' | 'halt_id' | 'digest_id' | 'authorization_id'
type About<Named> = Named & { [Name in Exclude<Subject, keyof Named>]: null }

export type NoticeRow = Addressee & {
  id: number
  status: 'planned' | 'delivered' | 'failed' | 'folded'
  attempts: number
} & (
    | About<{ gate_id: string; digest_id: string | null; kind: NoticeKind }>
    | About<{ run_id: string; digest_id: string | null; kind: 'ended' }>
    | About<{ halt_id: string; kind: HaltNoticeKind }>
    | About<{ digest_id: string; kind: DigestNoticeKind }>
    | About<{ authorization_id: string; kind: ConnectionNoticeKind }>
  )

/** Notices about gates, ends of runs, halts and authorisations, and digests of them, one per kind and recipient: planned, then delivered, with the outcome. */
export function createNoticeDeliveries(db: Db) {
  return {
    /** Undefined for a notice that was never planned. */
    async find(id: number): Promise<NoticeRow | undefined> {
      const [row] = await db<NoticeRow[]>`
        select id, gate_id, run_id, halt_id, digest_id, authorization_id, kind, channel, recipient, status, attempts
        from notice_deliveries where id = ${id}`
      return row
    },

    /** Returns when the first notices of a gate were planned, and the time by the database's clock. */
    async asked(gateId: string): Promise<{ asked_at: string | null; now: string }> {
      const [row] = await db<{ asked_at: string | null; now: string }[]>`
        select min(planned_at) as asked_at, clock_timestamp() as now from notice_deliveries
        where gate_id = ${gateId} and kind = 'opened'`
      if (row === undefined) throw new DomainError('internal', 'the database told no time')
      return row
    },

    /** Records the recipients of a notice, once, and which of them a digest tells. */
    async plan(
      { gate_id, workspace_id }: { gate_id: string; workspace_id: string },
      kind: AskingKind,
      addressees: DigestAddressee[],
    ): Promise<void> {
      await db`select plan_notices(${db.json({ gate_id, workspace_id })}, ${kind}, ${db.json(asJson(addressees))})`
    },

    /** Writes down who learns that an account has answered for them: each of them once. */
    async planAnswered(
      { gate_id, workspace_id }: { gate_id: string; workspace_id: string },
      addressees: Addressee[],
    ): Promise<void> {
      await db`
        insert into notice_deliveries (gate_id, workspace_id, kind, channel, recipient)
        select ${gate_id}, ${workspace_id}, 'answered_for_you', a.channel, a.recipient
        from unnest(${addressees.map(({ channel }) => channel)}::text[],
          ${addressees.map(({ recipient }) => recipient)}::text[]) with ordinality as a (channel, recipient, place)
        where not exists (select from notice_deliveries n
          where n.gate_id = ${gate_id} and n.kind = 'answered_for_you' and n.recipient = a.recipient)
        order by a.place
        on conflict do nothing`
    },

    /**
     * Plans the notices of a resolved gate, for everyone who was asked by a message of its own; and for those whom no notice reached, if the gate expired
     * unseen. The others are told by their digests.
     */
    async planResolved(gateId: string): Promise<void> {
      await db`select tell_digests_of(${gateId})`
      await db`
        insert into notice_deliveries (gate_id, workspace_id, kind, channel, recipient)
        select distinct gate_id, workspace_id, 'resolved', channel, recipient from notice_deliveries
        where gate_id = ${gateId} and kind = any(${[...ASKING_KINDS]}::text[]) and (status = 'delivered' or (
          status <> 'folded' and exists (select from gates where id = ${gateId} and status = 'expired' and resolution ->> 'cause' = 'ttl')
          and not exists (select from notice_deliveries
            where gate_id = ${gateId} and kind = any(${[...ASKING_KINDS]}::text[]) and status = 'delivered')))
        order by channel, recipient
        on conflict do nothing`
    },

    /** Records the recipients of a run's end, once. */
    async planEnd(
      { run_id, workspace_id }: EndInput,
      addressees: DigestAddressee[],
    ): Promise<PlannedNotice<'ended'>[]> {
      await db`select plan_notices(${db.json({ run_id, workspace_id })}, 'ended', ${db.json(asJson(addressees))})`
      return db<PlannedNotice<'ended'>[]>`
        select id as notice_id, kind, channel from notice_deliveries
        where run_id = ${run_id} and status not in ('delivered', 'folded') order by id`
    },

    /** Records a message of a digest, once, and returns it unless it has arrived. */
    async planDigest({ digest_id, notice }: DigestInput): Promise<PlannedNotice<DigestNoticeKind>[]> {
      await db`select plan_digest_notice(${digest_id}, ${notice})`
      return db<PlannedNotice<DigestNoticeKind>[]>`
        select id as notice_id, kind, channel from notice_deliveries
        where digest_id = ${digest_id} and digest_notice = ${notice} and status <> 'delivered'`
    },

    /** Reference of the message that later ones of a digest change, or reply to: of a new one, if somebody deleted the first. */
    async referenceOfDigest(digestId: string): Promise<JsonObject | undefined> {
      const [row] = await db<{ reference: JsonObject }[]>`
        select reference from notice_deliveries
        where digest_id = ${digestId} and digest_notice is not null and reference is not null and status = 'delivered'
        order by digest_notice desc limit 1`
      return row?.reference
    },

    /** Records the recipients of a message about a halt, once a message; the lift is announced in one message only. */
    async planHalt(
      { halt_id, notice }: HaltInput,
      kind: HaltNoticeKind,
      addressees: (Addressee & { workspace_id: string })[],
    ): Promise<void> {
      await db`
        insert into notice_deliveries (halt_id, halt_notice, workspace_id, kind, channel, recipient)
        select ${halt_id}, ${notice}, a.workspace_id, ${kind}, a.channel, a.recipient
        from unnest(${addressees.map((each) => each.workspace_id)}::text[], ${addressees.map(({ channel }) => channel)}::text[],
          ${addressees.map(({ recipient }) => recipient)}::text[]) with ordinality as a (workspace_id, channel, recipient, place)
        where not exists (select from notice_deliveries
          where halt_id = ${halt_id} and (halt_notice = ${notice} or (kind = 'halt_lifted' and ${kind} = 'halt_lifted')))
        order by a.place
        on conflict do nothing`
    },

    /** The planned messages of one number about a halt that have not arrived. */
    async outstandingOfHalt({ halt_id, notice }: HaltInput): Promise<PlannedNotice<HaltNoticeKind>[]> {
      return db<PlannedNotice<HaltNoticeKind>[]>`
        select id as notice_id, kind, channel from notice_deliveries
        where halt_id = ${halt_id} and halt_notice = ${notice} and status <> 'delivered' order by id`
    },

    /** Records the recipients of a message about an authorisation, once, and returns those whom it has not reached. */
    async planConnection(
      { authorization_id, notice }: ConnectionInput,
      { connection_id, kind }: { connection_id: string; kind: ConnectionNoticeKind },
      addressees: Addressee[],
    ): Promise<PlannedNotice<ConnectionNoticeKind>[]> {
      await db`
        insert into notice_deliveries (connection_id, authorization_id, authorization_notice, workspace_id, kind, channel, recipient)
        select ${connection_id}, ${authorization_id}, ${notice}, ${DEFAULT_WORKSPACE_ID}, ${kind}, a.channel, a.recipient
        from unnest(${addressees.map(({ channel }) => channel)}::text[],
          ${addressees.map(({ recipient }) => recipient)}::text[]) with ordinality as a (channel, recipient, place)
        where not exists (select from notice_deliveries
          where authorization_id = ${authorization_id} and authorization_notice = ${notice})
        order by a.place
        on conflict do nothing`
      return db<PlannedNotice<ConnectionNoticeKind>[]>`
        select id as notice_id, kind, channel from notice_deliveries
        where authorization_id = ${authorization_id} and authorization_notice = ${notice} and status <> 'delivered' order by id`
    },

    /** Reference of the first message about a halt that this recipient got: later ones reply to it. */
    async referenceOfHalt(haltId: string, { channel, recipient }: Addressee): Promise<JsonObject | undefined> {
      const [row] = await db<{ reference: JsonObject }[]>`
        select reference from notice_deliveries
        where halt_id = ${haltId} and channel = ${channel} and recipient = ${recipient} and reference is not null
          and status = 'delivered'
        order by delivered_at limit 1`
      return row?.reference
    },

    /** The planned notices of these kinds that have not arrived. */
    async outstanding(gateId: string, kinds: NoticeKind[]): Promise<PlannedNotice[]> {
      return db<PlannedNotice[]>`
        select id as notice_id, kind, channel from notice_deliveries
        where gate_id = ${gateId} and kind = any(${kinds}::text[]) and status not in ('delivered', 'folded') order by id`
    },

    /** The message that a later one joins or replaces: the first that this recipient got about the gate. */
    async reference(gateId: string, { channel, recipient }: Addressee): Promise<JsonObject | undefined> {
      const [row] = await db<{ reference: JsonObject }[]>`
        select reference from notice_deliveries
        where gate_id = ${gateId} and channel = ${channel} and recipient = ${recipient} and reference is not null
          and kind <> 'resolved' and status = 'delivered'
        order by delivered_at limit 1`
      return row?.reference
    },

    /** Tells whether this recipient knows how a gate ended, or cannot be reached. */
    async knowsOutcome(gateId: string, { channel, recipient }: Addressee): Promise<boolean> {
      const [row] = await db`
        select from notice_deliveries
        where gate_id = ${gateId} and channel = ${channel} and recipient = ${recipient} and kind = 'resolved' and status <> 'planned'`
      return row !== undefined
    },

    /** Records one attempt, and the delay of the next one, if any. A delivered notice stays delivered. */
    async record(
      id: number,
      outcome: { ok: true; reference?: JsonObject } | { ok: false; detail: string; again_ms?: number },
    ): Promise<void> {
      const again_ms = outcome.ok ? null : (outcome.again_ms ?? null)
      const reference = outcome.ok && outcome.reference !== undefined ? db.json(asJson(outcome.reference)) : null
      await db`
        update notice_deliveries set status = ${outcome.ok ? 'delivered' : 'failed'}, reference = ${reference},
          detail = ${outcome.ok ? null : cutText(outcome.detail, 1_000)}, delivered_at = ${outcome.ok ? db`now()` : null},
          next_at = now() + ${again_ms}::integer * interval '1 millisecond', attempts = attempts + 1, updated_at = now()
        where id = ${id} and status not in ('delivered', 'folded')`
    },
  }
}

export type NoticeDeliveries = ReturnType<typeof createNoticeDeliveries>
