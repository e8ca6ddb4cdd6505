import type { AuditDraft } from '#core/audit/types.ts'
import { DomainError } from '#core/errors.ts'
import { renderValue } from '#core/expression/parse-template-string.ts'
import { shapedBefore } from '#core/gate/contributors.ts'
import type { JsonObject } from '#core/json/json.ts'
import { eventCause, eventRun, humanRootOf, isLoop, isOfDryRun, skillChain } from '#core/skill/event-origin.ts'
import { type Skill, type SkillStart, skillActorId } from '#core/skill/skill.ts'
import { DAY_MS, isoTime } from '#core/time/time.ts'
import { finalOutcome } from '#core/trigger/outcome.ts'
import type { FiringKey, FiringOutcome, SkillFirings } from '#store/skill-firings.ts'
import type { BusMessage } from '../bus/bus.ts'
import type { StartContext } from '../context.ts'
import { admitRun } from '../runs/admit-run.ts'
import { startAudit } from '../runs/run-record.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { placeOf, type WorkspaceDirectory, type WorkspaceEntry } from '../workspaces/workspace-directory.ts'

/** A skill does not make up for a longer absence: last week's answers are of no use. */
const STALE_MS = DAY_MS

export interface FireSkillDeps {
  services: ServiceDeps
  firings: SkillFirings
  workspaces: Pick<WorkspaceDirectory, 'find'>
}

export interface Firing {
  outcome: FiringOutcome
  run_id?: string
  /** why there is no run */
  reason?: string
}

/** A firing, and its record. */
interface Settlement extends Firing {
  audit?: AuditDraft[]
}

/**
 * Starts the run of a skill for one event, in the event's workspace, at most once however often the event is delivered. A refusal by
 * governance is recorded and final; an unavailable dependency throws, so that the bus delivers it again.
 */
export async function fireSkill(
  deps: FireSkillDeps,
  skill: Skill & { start: SkillStart },
  message: BusMessage,
): Promise<Firing> {
  const { services, firings } = deps
  const { event, workspace_id } = message
  const key: FiringKey = {
    skill: skill.id,
    workspace_id,
    event_key: `sha256:${services.sha256(`${event.source}\n${event.id}`)}`,
  }
  const claim = { ...key, message_id: message.id, topic: message.topic, run_id: services.ids.next('run') }
  const { run_id, outcome, started } = await firings.claim(claim)
  if (outcome !== null) return { outcome, ...(outcome === 'started' && { run_id }) }
  const { audit, ...firing }: Settlement = started ? { outcome: 'started', run_id } : await startOnce()
  await firings.settle(key, firing.outcome, firing.reason ?? null, audit)
  return firing

  /** Of two who deliver the same event at once, one makes the run, and the other finds that it is there. */
  async function startOnce(): Promise<Settlement> {
    try {
      return await startRun(deps, skill, message, run_id)
    } catch (error) {
      if ((await firings.claim(claim)).started) return { outcome: 'started', run_id }
      throw error
    }
  }
}

async function startRun(
  deps: FireSkillDeps,
  skill: Skill & { start: SkillStart },
  { id, topic, workspace_id, event }: BusMessage,
  runId: string,
): Promise<Settlement> {
  const { services } = deps
  const workspace = await deps.workspaces.find(workspace_id)
  if (workspace?.status !== 'active') return { outcome: 'suppressed', reason: 'the workspace is archived' }
  if (services.clock() - Date.parse(event.time) > STALE_MS)
    return { outcome: 'suppressed', reason: 'the event is older than a day' }
  const ctx = contextOf(services, skill, workspace)
  const parent = eventRun(event)
  const provenance = parent === undefined ? undefined : await deps.firings.provenanceOf(workspace_id, parent)
  const chain = skillChain(provenance)
  if (isLoop(skill.id, chain)) return suppressLoop(ctx, skill, topic, parent)
  const { pack, template, inputs, dry_run, environment, profile, config_preset } = skill.start
  try {
    await admitRun(ctx, {
      // a repeated delivery finds this run, and cannot start a second one
      run_id: runId,
      pack,
      template,
      inputs: renderInputs(inputs, { ...event }),
      // an event without effect triggers nothing
      dry_run: dry_run || isOfDryRun(event),
      ...(environment !== undefined && { environment }),
      ...(profile !== undefined && { profile }),
      ...(config_preset !== undefined && { config_preset }),
      lane: 'background',
      trigger: {
        type: 'bus',
        bus_message_id: id,
        topic,
        skill: skill.id,
        event: { source: event.source, id: event.id },
        chain: [...chain, skill.id],
        ...(provenance !== undefined && parent !== undefined && { parent_run_id: parent }),
      },
      human_root: humanRootOf(provenance, skill.id),
      shaped_by: [
        ...(provenance === undefined || parent === undefined ? [] : shapedBefore(parent, provenance)),
        ...eventCause(event, `skill ${skill.id}`),
      ],
    })
    return { outcome: 'started', run_id: runId }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const outcome = finalOutcome(error.code)
    // a passing failure is left to the next delivery
    if (outcome === undefined) throw error
    return { outcome, reason: error.message }
  }
}

function contextOf(services: ServiceDeps, { id }: Skill, workspace: WorkspaceEntry): StartContext {
  return {
    ...services,
    actor: {
      type: 'system',
      id: skillActorId(id),
      display: `skill ${id}`,
      account_id: 'acc_system',
      roles: [],
      approval_roles: [],
      scopes: [],
      workspaces: [workspace.id],
      auth: 'none',
    },
    workspace_id: workspace.id,
    ...placeOf(workspace),
    channel: 'system',
    request_id: services.ids.next('request'),
  }
}

function suppressLoop(ctx: StartContext, skill: Skill, topic: string, parent: string | undefined): Settlement {
  const reason = 'the skill would answer its own runs without end'
  const audit: AuditDraft = {
    id: ctx.ids.next('audit'),
    ts: isoTime(ctx.clock()),
    ...startAudit(ctx, {
      action: 'skill.suppressed',
      subject: { type: 'skill', id: skill.id },
      data: { topic, reason },
    }),
    ...(parent !== undefined && { run_id: parent }),
  }
  return { outcome: 'suppressed', reason, audit: [audit] }
}

function renderInputs(inputs: JsonObject, event: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, renderValue(value, { event })]))
}
