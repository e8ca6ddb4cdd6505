import { createHash } from 'node:crypto'
import type { StepDeps } from '#activities/deps.ts'
import { createOperators } from '#activities/operators/index.ts'
import { releaseAfter } from '#activities/run/end-run.ts'
import { openSecrets, type RunSession } from '#activities/run/run-session.ts'
import { executeStep } from '#activities/step/execute-step.ts'
import type { Environment } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import type { Json, JsonObject } from '#core/json/json.ts'
import type { Operator } from '#core/operator.ts'
import type { Plan, PlanStep } from '#core/plan/types.ts'
import type { PolicyVerdict, Risk } from '#core/policy/types.ts'
import type { PendingApproval } from '#core/run/approval-schema.ts'
import type { GateOpening, PendingSettlement, RunPatch } from '#core/run/patch.ts'
import { createRedactor } from '#core/secret/redactor.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createSecretBox } from '#platform/secret-box.ts'
import { pendingApproval } from '#services/approvals/pending-approval.ts'
import type { GateRecord, OpeningRefusal, Refusal, RunHead } from '#store/runs/run-answers.ts'
import { operatorContext } from './operator-context.ts'

const CATALOG = createOperators({ egress: createEgressClient() })
const RUN = 'run_00000000000000000000000001'
const WORKSPACE = 'ws_00000000000000000000000001'
const KEY = 'the master key of these tests, 32 bytes and more'

export interface GatedStep {
  /** runs the step until it asks, and answers what an approver reads; undefined when it did not ask */
  ask(): Promise<PendingApproval | undefined>
  /** approves what was asked last */
  approve(): void
  /** everything that was recorded, for the search for what must not be there */
  patches: Omit<RunPatch, 'run_id' | 'fence'>[]
  /** what waits to be recorded with the next transition */
  settled(): unknown
  environment: Environment
  /** urls by name; may change while the gate is open */
  connections: Record<string, string>
  /** why the record would refuse an opening now */
  refuse: () => OpeningRefusal | undefined
  /** why the record would refuse this transition; throws when the database is away */
  refuseRecord: (patch: Omit<RunPatch, 'run_id' | 'fence'>) => Refusal | undefined
}

export interface GatedStepOptions {
  operator: string | Operator
  input: JsonObject
  /** values of the run's inputs that are sealed, by JSON Pointer; the step's input refers to them as `inputs.<name>` */
  sealed?: Record<string, Json>
  connections?: Record<string, string>
  egress?: string[]
  key?: string | undefined
  /** default 1 */
  attempts?: number
  /** what the template declares, where it is not the operator's */
  risk?: Risk
  /** whether the template asks for the gate; default true */
  requires_approval?: boolean
  /** default 20,000 */
  timeout_ms?: number
  /** the execution is beside a workflow task */
  local?: boolean
  /** a policy asks for a dry run first */
  require_dry_run?: boolean
  /** the run is a dry run */
  dry_run?: boolean
  /** what the policies say beside that */
  verdict?: Partial<PolicyVerdict>
  /** what an earlier step left to be written */
  pending?: PendingSettlement
  /** artifacts that earlier steps of the run have left */
  left?: { name: string; step_id: string }[]
  /** ends the execution */
  signal?: AbortSignal
  /** where the step stands, where it is not the usual place */
  place?: { workspace?: string; template?: string; step?: string }
  /** what the step stands on, where it is not the usual */
  deps?: Partial<StepDeps>
}

/** One gated step of a run, through the very code that judges, shows and executes it; only the record is kept in memory. */
export function gatedStep(options: GatedStepOptions): GatedStep {
  const operator = typeof options.operator === 'string' ? CATALOG.get(options.operator) : options.operator
  if (operator === undefined) throw new Error(`no operator ${options.operator}`)
  const key = 'key' in options ? options.key : KEY
  const { environment } = operatorContext({ egress: options.egress ?? ['loopback'] })
  const connections = { ...options.connections }
  const patches: GatedStep['patches'] = []
  const gates: GateRecord[] = []
  const sealed = options.sealed ?? {}
  const place = { workspace: WORKSPACE, template: `sha256:${'0'.repeat(64)}`, step: 'act', ...options.place }
  const step = {
    ...stepOf(operator, options.input, options.attempts ?? 1),
    id: place.step,
    requires_approval: options.requires_approval ?? true,
    ...(options.timeout_ms !== undefined && { timeout_ms: options.timeout_ms }),
  }
  const refusal = () => controls.refuse()
  let opened: GateOpening | undefined
  let last: RunSession | undefined

  const deps: StepDeps = {
    runs: {
      async record({ run_id: _run, fence: _fence, ...patch }: RunPatch) {
        const refused = controls.refuseRecord(patch)
        if (refused !== undefined) return refused
        patches.push(patch)
        if (patch.gate) {
          // as the database gives it back
          opened = JSON.parse(JSON.stringify(patch.gate))
          gates.push({ ...recordOf(patch.gate), status: 'open' })
        }
        const audit = (patch.audit ?? []).map((draft, index) => ({ outbox_id: index, draft_id: draft.id }))
        return { fence: 1, last_seq: 1, status: 'running' as const, audit }
      },
      askOpening: async () => refusal(),
      artifactsNamed: async (_run, names) => (options.left ?? []).filter(({ name }) => names.includes(name)),
    },
    decisions: { runState: async () => undefined },
    remote_jobs: { ofAttempt: async () => undefined },
    remote: { start: async () => undefined },
    policies: {
      effective: async () => ({
        snapshot_hash: '',
        decide: () => ({ ...ALLOWED, dry_run: options.require_dry_run ?? false, ...options.verdict }),
      }),
    },
    environments: {
      get: () => structuredClone(environment),
      profile: () => ({ name: 'default', requires_approval: [] }),
    },
    operators: { get: () => operator, list: () => [operator] },
    workspaces: {
      find: async (id) => ({ id, slug: 'default', status: 'active', default_environment: 'development', limits: {} }),
    },
    audit: { offer: () => undefined, acknowledged: async () => undefined },
    clock: Date.now,
    monotonic: () => 0,
    ids: { next: (kind: string) => `${kind}_${String(patches.length).padStart(26, '0')}` },
    sha256: (text: string) => createHash('sha256').update(text).digest('hex'),
    ...(key !== undefined && { secrets: { ...createSecretBox(key), open: async () => sealed } }),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    async connect(_environment: Environment, id: string) {
      const url = connections[id]
      if (url === undefined) throw new DomainError('not_found', `there is no connection ${id}`)
      return { kind: url.startsWith('s3') ? 's3' : url.startsWith('http') ? 'http' : 'postgres', url }
    },
    notifyRun: () => undefined,
    objects: { put: async () => undefined },
    approval_ttl_ms: 3_600_000,
    signals_approve: false,
    fault: () => undefined,
    ...options.deps,
  }

  async function session(): Promise<RunSession> {
    const dry_run = options.dry_run ?? false
    const head = {
      ...headOf(options.input, Object.keys(sealed).length > 0),
      ...{ workspace_id: place.workspace, dry_run },
    }
    const open = head.sealed === null ? { head, redactor: createRedactor([]) } : await openSecrets(deps, head)
    return {
      ...open,
      plan: {
        ...planOf(step),
        digest: place.template,
        ...(options.risk !== undefined && { risk: options.risk }),
      },
      environment: structuredClone(environment),
      signal: options.signal ?? new AbortController().signal,
      fence: 1,
      released: false,
      local: options.local ?? false,
      began: 0,
      ask_standing: true,
      steps: new Map(),
      gates: gates.map((gate) => ({ ...gate })),
      votes_before: [],
      pending: options.pending ?? null,
      current: step.id,
    }
  }

  const controls: GatedStep = {
    patches,
    settled: () => last?.pending,
    environment,
    connections,
    async ask() {
      opened = undefined
      last = await session()
      const ended = await executeStep(deps, last, step)
      if (ended.kind === 'settled') return undefined
      const end = await releaseAfter(deps, last, ended)
      if (end.kind === 'parked' && opened !== undefined) return await shownAs(opened)
      throw new Error(`the step ended as ${JSON.stringify(end)}: ${JSON.stringify(patches.at(-1)?.run)}`)
    },
    approve() {
      const gate = gates.at(-1)
      if (gate !== undefined) gate.status = 'approved'
    },
    refuse: () => undefined,
    refuseRecord: () => undefined,
  }
  return controls
}

const ALLOWED = {
  effect: 'allow_auto' as const,
  matched: [],
  dry_run: false,
  approval_roles: [],
  channels: [],
  broken_policies: [],
  snapshot_hash: '',
}

function stepOf(operator: Operator, input: JsonObject, attempts: number): PlanStep {
  return {
    id: 'act',
    name: 'Act',
    operator: operator.id,
    operator_version: operator.version,
    // values that are no expressions themselves reach the step through the run's inputs
    with: Object.fromEntries(
      Object.entries(input).map(([name, value]) => [
        name,
        isExpression(value) ? value : `\${{ inputs.given[${JSON.stringify(name)}] }}`,
      ]),
    ),
    requires_approval: true,
    action_type: operator.action_type,
    risk: operator.risk,
    capabilities: operator.capabilities,
    timeout_ms: 20_000,
    retry: { max_attempts: attempts, initial_ms: 1, backoff: 1, max_ms: 1 },
  }
}

function isExpression(value: Json | undefined): boolean {
  return JSON.stringify(value ?? null).includes('${{')
}

function planOf(step: PlanStep): Plan {
  return {
    v: 1,
    pack: 'p',
    template: 't',
    pack_version: '1.0.0',
    pack_digest: '',
    title: 'T',
    risk: step.risk,
    action_types: [],
    capabilities: [],
    steps: [step],
    outputs: {},
    digest: `sha256:${'0'.repeat(64)}`,
  }
}

function headOf(input: JsonObject, isSealed: boolean): RunHead {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => !isExpression(value)))
  return {
    id: RUN,
    workspace_id: WORKSPACE,
    status: 'running',
    pack: 'p',
    template: 't',
    plan_digest: `sha256:${'0'.repeat(64)}`,
    lane: 'background',
    environment: 'development',
    environment_class: 'development',
    profile: 'default',
    dry_run: false,
    inputs: { given, token: '', login: { password: '' } },
    sealed: isSealed ? 'sealed' : null,
    reason: null,
    provenance: {},
    cap_micro_usd: 1_000_000,
    spent_micro_usd: 0,
    reserved_micro_usd: 0,
    processes_ended: 0,
    steps: [],
    gates: [],
  }
}

function recordOf({ id, step_id, kind, plan_hash, required, view }: GateOpening): Omit<GateRecord, 'status'> {
  return {
    id,
    step_id,
    kind,
    plan_hash,
    required,
    ...(view['covers'] !== undefined && { covers: view['covers'] as NonNullable<GateRecord['covers']> }),
  }
}

/** As the API answers it. */
async function shownAs(gate: GateOpening): Promise<PendingApproval> {
  const { id: gate_id, step_id, kind, plan_hash, required, view, expires_at } = gate
  const row = {
    run_id: RUN,
    status: 'awaiting_approval' as const,
    gate_id,
    environment_class: 'development' as const,
    kind,
    step: step_id,
    opened_at: expires_at,
    expires_at,
    plan_hash,
    required,
    view,
    spent_micro_usd: 0,
    reserved_micro_usd: 0,
    cap_micro_usd: 0,
    provenance: {},
    asked_at: expires_at,
    answers: [],
    decisions: [],
    remarks: [],
    people: [],
  }
  return await pendingApproval(
    {
      ...{ decisions: { voters: async () => [] }, open: false, signals_approve: false },
      workspace_id: WORKSPACE,
      actor: { roles: ['owner'], scopes: [], workspaces: [] },
      approvals: { findOpen: async () => row },
      halts: { covering: async () => [] },
    },
    RUN,
  )
}
