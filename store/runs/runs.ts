import postgres from 'postgres'
import type { AuditDraft } from '#core/audit/types.ts'
import { coalesced } from '#core/coalesced.ts'
import type { Lane, RunStart } from '#core/contract.ts'
import { DomainError } from '#core/errors.ts'
import { createLru } from '#core/lru.ts'
import type { EventDraft } from '#core/run/event.ts'
import { type Refused, type RunPatch, type StepOpening, TAKING } from '#core/run/patch.ts'
import { asJson, type Db } from '../db.ts'
import { answeredGate } from '../gates/vote-columns.ts'
import { unlessStuck } from '../sql/lock-conflicts.ts'
import { type TenantDb, unscoped } from '../tenant-db.ts'
import type {
  Admitted,
  Decidable,
  Fenced,
  OpeningRefusal,
  OutboxEntry,
  Recorded,
  Refusal,
  RunHead,
  Taken,
  Throttled,
  VoteTakenOver,
} from './run-answers.ts'
import type { AttachRequest, RunDraft } from './run-drafts.ts'

/** Raised by record_run when a reservation does not fit; nothing of that statement has happened. */
const OVER_BUDGET = 'SVC01'
/** Raised by admit_runs, in words, for a run that its pipeline does not wait for, or that cannot take over what another run did. */
const NOT_ADMITTED = 'SVC02'

const MAX_PLANS = 10_000

/** Writes runs. Each verb is one statement, so one short transaction. */
export function createRunStore(db: Db, tenants: TenantDb = unscoped(db)) {
  /** Plans that this store has written: they never change and are never deleted, so once is enough. */
  const plans = createLru<string, true>(MAX_PLANS)

  async function takenBy(written: postgres.PendingQuery<postgres.Row[]>, runId: string): Promise<Taken | Refusal> {
    const [row] = await db<({ recorded: Recorded | Refusal | null } & RunHead)[]>`
      with taken as materialized (${written})
      select taken.recorded, r.id, r.workspace_id, r.status, r.pack, r.template, r.lane, r.environment, r.environment_class,
        r.profile, r.dry_run, r.inputs, (select sealed from run_secrets where run_id = r.id) as sealed, r.reason, r.provenance, r.plan_digest,
        r.cap_micro_usd, r.reserved_micro_usd, r.llm_micro_usd + r.gpu_micro_usd + r.storage_micro_usd as spent_micro_usd,
        r.claims as processes_ended,
        (select coalesce(jsonb_agg(jsonb_build_object('step_id', s.step_id, 'state', s.state, 'attempt', s.attempt,
           'outputs', s.outputs, 'error', s.error, 'plan_hash', s.plan_hash, 'simulation', s.simulation, 'ended_at', s.ended_at) order by s.ordinal), '[]')
         from run_steps s where s.run_id = r.id) as steps,
        (select coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'step_id', g.step_id, 'kind', g.kind, 'status', g.status,
           'plan_hash', g.plan_hash, 'covers', g.view -> 'covers', 'required', g.required, 'votes', ${votesOfGate(db)}) order by g.opened_at), '[]')
         from gates g where g.run_id = r.id) as gates
      from taken, runs r where r.id = ${runId}`
    if (!row) return { refused: 'not_found' }
    const { recorded, ...head } = row
    if (recorded === null) return { recorded: { fence: 0 }, head }
    return isRefused(recorded) ? recorded : { recorded, head }
  }

  const readDecidable = coalesced(async (key: `${string}/${string}`): Promise<Decidable | undefined> => {
    const [workspaceId = '', runId = ''] = key.split('/')
    const [row] = await tenants.in(
      workspaceId,
      (db) => db<Decidable[]>`
        select r.id as run_id, r.workspace_id, r.status, r.lane, r.environment, g.view #>> '{operation,action_type}' as action_type,
          r.provenance, g.status as gate_status,
          ${answeredGate(db)}
        from runs r left join lateral (select * from gates where run_id = r.id order by opened_at desc limit 1) g on true
        where r.id = ${runId} and r.workspace_id = ${workspaceId}`,
    )
    return row
  })

  /**
   * Starts or attaches a batch, or holds it back. `seen`: only while no other halt than these is in force; otherwise nothing happens, and
   * the answer is undefined. `dependency_unavailable`: a row is locked, and nothing happened.
   */
  async function admit(drafts: RunDraft[]): Promise<(Admitted | Throttled)[]>
  async function admit(drafts: RunDraft[], seen: string[]): Promise<(Admitted | Throttled)[] | undefined>
  async function admit(drafts: RunDraft[], seen?: string[]): Promise<(Admitted | Throttled)[] | undefined> {
    const sent = drafts.map((draft) => (plans.get(draft.plan_digest) ? withoutPlan(draft) : draft))
    const call = db`coalesce(admit_runs(${db.json(asJson(sent))}), '[]')`
    const [row] = await unlessNotAdmitted(
      unlessStuck(
        seen === undefined
          ? db<{ admitted: (Admitted | Throttled)[] }[]>`select ${call} as admitted`
          : db<{ admitted: (Admitted | Throttled)[] | null }[]>`
          select case when not exists (select from halts where lifted_at is null and id <> all(${seen}::text[]))
            then ${call} end as admitted`,
      ),
    )
    if (!row?.admitted) return undefined
    for (const { plan_digest } of drafts) plans.set(plan_digest, true)
    return row.admitted
  }

  return {
    admit,

    /** Folds alerts onto active runs, in order; null where none is active. The caller sorts by fingerprint. */
    async attach(requests: AttachRequest[]): Promise<(Admitted | null)[]> {
      const [row] = await unlessStuck(
        db<{ attached: (Admitted | null)[] | null }[]>`select attach_alerts(${db.json(asJson(requests))}) as attached`,
      )
      return row?.attached ?? []
    },

    async record(patch: RunPatch): Promise<Recorded | Refusal> {
      try {
        const [row] = await db<
          { recorded: Recorded | Refusal }[]
        >`select record_run(${db.json(asJson(patch))}) as recorded`
        if (!row) throw new DomainError('internal', 'record_run answered no row')
        return row.recorded
      } catch (error) {
        if (error instanceof postgres.PostgresError && error.code === OVER_BUDGET)
          return JSON.parse(error.message) as Refusal
        throw error
      }
    },

    /** Returns which artifacts of these names a run has, and the steps that left them. */
    async artifactsNamed(runId: string, names: readonly string[]): Promise<{ name: string; step_id: string }[]> {
      return db<{ name: string; step_id: string }[]>`
        select name, step_id from artifacts where run_id = ${runId} and name = any(${names}) order by name`
    },

    /** Returns why this opening would be refused now: another attempt has the run, or a halt or lost authority holds it; writes nothing. */
    async askOpening(
      runId: string,
      fence: number,
      opening: Partial<StepOpening>,
    ): Promise<OpeningRefusal | Fenced | undefined> {
      const [row] = await db<{ fenced: boolean; refusal: OpeningRefusal | null }[]>`
        select r.fence <> ${fence} or r.ended_at is not null as fenced, refuse_opening(r, ${db.json(asJson(opening))}) as refusal
        from runs r where id = ${runId}`
      if (row === undefined || row.fenced) return { refused: 'fenced' }
      return row.refusal ?? undefined
    },

    /**
     * Fences earlier attempts out and returns the run. A run that was never taken is only read for a claim (its fence is 0): there is no
     * attempt to fence out, and the first write takes it. `not_found` also when the claim names other facts than the run's. A run that has
     * waited for `unread_ms` is taken all the same: an attempt that only read it may have crashed its process, and the next crash is to be
     * recorded.
     */
    async take(
      runId: string,
      claim?: { workspace_id: string; lane: Lane; unread_ms?: number | undefined },
    ): Promise<Taken | Refusal> {
      const patch: RunPatch = { run_id: runId, ...TAKING }
      const call = db`record_run(${db.json(asJson(patch))})`
      const written =
        claim === undefined
          ? db`select ${call} as recorded`
          : db`
            select case when fence > 0 or status <> 'queued'
              or queued_at < now() - ${claim.unread_ms ?? null}::float8 * interval '1 millisecond' then ${call} end as recorded
            from runs where id = ${runId} and workspace_id = ${claim.workspace_id} and lane = ${claim.lane}`
      return await takenBy(written, runId)
    },

    /** Returns the votes on steps that a retry has taken over, for readers of a report. */
    async votesTakenOver(runId: string): Promise<VoteTakenOver[]> {
      return db<VoteTakenOver[]>`
        select g.step_id as step, vote ->> 'by' as by, vote ->> 'decision' as decision, vote ->> 'at' as at, vote ->> 'note' as note
        from runs r cross join jsonb_each(r.provenance -> 'taken_over') t(step_id, source)
        join gates g on g.run_id = source ->> 'run_id' and g.step_id = t.step_id and g.workspace_id = r.workspace_id
        cross join jsonb_array_elements(${votesOfGate(db)}) v(vote)
        where r.id = ${runId} order by g.opened_at`
    },

    /** Tells whether a process may have crashed at the next step of this run. */
    async mayCrash(runId: string): Promise<boolean> {
      return (await db`select from runs where id = ${runId} and claims > 0 and ended_at is null`).length > 0
    },

    /** Appends events to a run of which nothing else changes; undefined when there is no such run. */
    async appendEvents(runId: string, events: EventDraft[]): Promise<number | undefined> {
      const [row] = await db<
        { last_seq: number | null }[]
      >`select append_events(${runId}, ${db.json(asJson(events))}) as last_seq`
      return row?.last_seq ?? undefined
    },

    /** Queues audit drafts that belong to no other change (a refusal, for example). */
    async appendAudit(drafts: AuditDraft[]): Promise<OutboxEntry[]> {
      const [row] = await db<{ audit: OutboxEntry[] }[]>`select append_audit(${db.json(asJson(drafts))}) as audit`
      return row?.audit ?? []
    },

    /** Queues refusals for the audit log, similar ones as a number. The caller does not wait for their place in the chain. */
    async appendRefusals(refusals: Refused[]): Promise<void> {
      await db`select record_refusals(${db.json(asJson(refusals))})`
    },

    /** Returns the facts for deciding a gate; undefined for a foreign or unknown run. A thousand callers share a read. */
    findDecidable: (workspaceId: string, runId: string): Promise<Decidable | undefined> =>
      readDecidable(`${workspaceId}/${runId}`),

    /** Returns runs whose workflow has not begun some time after their admission, and that nothing holds, with all that starts them. */
    async findUnstarted(olderThanMs: number, limit: number): Promise<RunStart[]> {
      return db`
        select ${startOf(db)}
        from start_outbox o join runs r on r.id = o.run_id join plans p on p.digest = r.plan_digest
        where greatest(o.created_at + ${olderThanMs} * interval '1 millisecond', o.held_until) < now()
        order by o.created_at limit ${limit}`
    },

    /** Keeps these starts from counting as lost for this long. */
    async holdStarts(runIds: string[], forMs: number): Promise<void> {
      await db`
        update start_outbox set held_until = now() + ${forMs} * interval '1 millisecond'
        where run_id = any(${runIds}::text[])`
    },

    async markStarted(runIds: string[]): Promise<void> {
      await db`delete from start_outbox where run_id in ${db(runIds)}`
    },
  }
}

/** The votes on the gate `g`, with names; of an approved one those that were counted. */
function votesOfGate(db: Db) {
  return db`
    (select coalesce(jsonb_agg(jsonb_build_object('by', coalesce(u.display_name, u.email, d.decided_by),
       'decision', d.decision, 'at', d.decided_at, 'note', coalesce(d.note, '')) order by d.decided_at), '[]')
     from gate_decisions d left join users u on u.id = d.decided_by where d.gate_id = g.id
       and (g.status <> 'approved' or coalesce(g.resolution -> 'counted' ? d.decision_id, true)))`
}

function startOf(db: Db) {
  return db`r.id as run_id, r.workspace_id, r.lane, p.plan ->> 'title' as title, r.pack || '/' || r.template as template, r.environment`
}

export type RunStore = ReturnType<typeof createRunStore>

function withoutPlan({ plan: _plan, ...draft }: RunDraft): Omit<RunDraft, 'plan'> {
  return draft
}

async function unlessNotAdmitted<T>(statement: Promise<T>): Promise<T> {
  try {
    return await statement
  } catch (error) {
    if (error instanceof postgres.PostgresError && error.code === NOT_ADMITTED)
      throw new DomainError('conflict', error.message)
    // somebody else starts the run of this very id
    if (error instanceof postgres.PostgresError && error.constraint_name === 'runs_pkey')
      throw new DomainError('dependency_unavailable', 'another request is starting this run', { retry_after_s: 1 })
    throw error
  }
}

function isRefused(answer: Recorded | Refusal): answer is Refusal {
  return 'refused' in answer
}
