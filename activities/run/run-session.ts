import { removedEnvironment } from '#core/environment/defaults.ts'
import type { Environment, Profile } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { Plan } from '#core/plan/types.ts'
import { PredictedStep } from '#core/run/dry-run-schema.ts'
import type { PendingSettlement } from '#core/run/patch.ts'
import { createRedactor, type Redactor } from '#core/secret/redactor.ts'
import { mergeSecrets, namedSecrets } from '#core/secret/split-secrets.ts'
import type { GateRecord, RunHead, StepRecord, VoteTakenOver } from '#store/runs/run-answers.ts'
import type { StepDeps } from '../deps.ts'

/** An execution in progress: the run as taken, the fence it holds, and a settlement that waits to be written with the next transition. */
export interface RunSession {
  /** with the run's secrets in its inputs: expressions see what is real, records never do */
  readonly head: RunHead
  readonly redactor: Redactor
  readonly plan: Plan
  /** as it stood when the current attempt began */
  environment: Environment
  readonly signal: AbortSignal
  /** beside the workflow task: what may take long is left to the execution after it */
  readonly local: boolean
  /** when the execution began, by the clock that only goes on */
  readonly began: number
  /** 0 until the first write, which takes the run */
  fence: number
  /** false while nobody's identity is checked, and for a compensation: an effect is taken back even if its requester has left */
  readonly ask_standing: boolean
  steps: Map<string, StepRecord>
  gates: GateRecord[]
  /** of a retry: how the gates of the steps that it took over were answered */
  readonly votes_before: VoteTakenOver[]
  pending: PendingSettlement | null
  /** the execution gave the run up in good order */
  released: boolean
  /** name of the step at work, for the heartbeat */
  current: string
}

/** What expressions of this run may see. */
export function expressionScope(session: RunSession): JsonObject {
  const { head } = session
  const steps: JsonObject = {}
  for (const step of session.plan.steps) {
    const record = session.steps.get(step.id)
    if (record !== undefined) steps[step.id] = { status: record.state, outputs: record.outputs ?? {} }
  }
  return {
    inputs: head.inputs,
    steps,
    run: {
      id: head.id,
      workspace_id: head.workspace_id,
      environment: head.environment,
      lane: head.lane,
      reason: head.reason ?? '',
      decisions: [
        ...session.votes_before.map((vote) => ({ ...vote })),
        ...session.gates.flatMap(({ step_id, votes = [] }) => votes.map((vote) => ({ step: step_id, ...vote }))),
      ],
    },
    trigger: head.provenance['trigger'] ?? {},
  }
}

/** What a dry run has found up to here, in the order of the plan. */
export function predictedSteps({ plan, steps }: RunSession): PredictedStep[] {
  return plan.steps.flatMap(({ id }) => {
    const predicted = PredictedStep.safeParse(steps.get(id)?.simulation)
    return predicted.success ? [predicted.data] : []
  })
}

/** The run with its secret inputs in place, and what keeps them out of the record. Once per execution, and only where there are any. */
export async function openSecrets(
  deps: Pick<StepDeps, 'secrets'>,
  head: RunHead,
): Promise<{ head: RunHead; redactor: Redactor }> {
  if (head.sealed === null) return { head, redactor: createRedactor([]) }
  if (deps.secrets === undefined) {
    throw new DomainError('not_configured', 'the run has secret inputs, and this worker has no SVC_SECRET_KEY')
  }
  const secrets = await deps.secrets.open(head.id, head.sealed)
  return {
    head: { ...head, inputs: mergeSecrets(head.inputs, secrets) },
    redactor: createRedactor(namedSecrets(secrets)),
  }
}

/** The profile as it is configured now; undefined where it cannot be read, or is gone. */
export function profileOf(
  { environments, log }: Pick<StepDeps, 'environments' | 'log'>,
  name: string,
): Profile | undefined {
  try {
    return environments.profile(name)
  } catch (error) {
    log.warn({ profile: name, err: error }, 'a profile cannot be read: it turns every gate on')
    return undefined
  }
}

/** The environment as it is configured now. */
export function environmentOf({ environments }: Pick<StepDeps, 'environments'>, name: string): Environment {
  return environments.get(name) ?? removedEnvironment(name)
}
