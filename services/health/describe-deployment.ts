import type { Lane } from '#core/contract.ts'
import { type Environment, isGranted } from '#core/environment/environment.ts'
import { type FileFault, faultText } from '#core/file-fault.ts'
import { concerns, type Halt, setterFor } from '#core/halt/halt.ts'
import { type BrokenPolicy, problemText } from '#core/policy/layer.ts'
import type { SetAside } from '#core/set-aside.ts'
import type { EnvironmentSource } from '#platform/environments/environment-source.ts'
import type { IngressProblem } from '#platform/ingress/ingress-problems.ts'
import type { ChannelSource } from '#platform/notify/channel-source.ts'
import type { PackRegistry } from '#platform/packs/pack-registry.ts'
import type { LivePolicySource } from '#platform/policies/policy-source.ts'
import type { SkillCatalogue } from '#platform/skills/skill-catalogue.ts'
import { within } from '#platform/within.ts'
import type { BusHealth } from '#store/bus/bus-health.ts'
import type { HaltInForce } from '#store/halts.ts'
import type { HealthViews } from '#store/health.ts'
import type { PipelineHealth } from '#store/pipelines/pipeline-views.ts'
import type { Undelivered } from '#store/set-aside.ts'
import type { ScheduleProblem } from '../schedules/schedule-problems.ts'
import type { WorkspaceDirectory, WorkspaceEntry } from '../workspaces/workspace-directory.ts'
import { type LaneHealth, type LanePorts, reportLanes } from './lane-report.ts'

/** What answers later is left out. */
const ANSWER_MS = 1_000

export interface DeploymentPorts extends LanePorts {
  health: Pick<HealthViews, 'freshWorkers' | 'serverVersion'>
  channels: Pick<ChannelSource, 'errors' | 'secretProblems'>
  /** why the links in messages do not work for their recipients */
  linkProblem?: () => string | undefined
  packs: Pick<PackRegistry, 'errors'>
  skills?: Pick<SkillCatalogue, 'errors'>
  environments: Pick<EnvironmentSource, 'errors' | 'list'>
  policies: Pick<LivePolicySource, 'effective'>
  workspaces: Pick<WorkspaceDirectory, 'find'>
  /** as a workspace may see it */
  bus?: (workspaceId: string) => Promise<BusHealth>
  /** halts that may stop a run in a workspace */
  halts?: (workspaceId: string, everywhere: boolean) => Promise<HaltInForce[]>
  scheduleProblems?: (workspace: WorkspaceEntry) => ScheduleProblem[]
  ingressProblems?: (workspaceId: string) => IngressProblem[]
  /** faults of the files, and unknown names in them */
  problems?: (() => Promise<readonly FileFault[]>) | undefined
  /** the pipelines of a workspace that have not ended */
  pipelines?: (workspaceId: string) => Promise<PipelineHealth>
  /** messages of a workspace that did not arrive */
  undelivered?: (workspaceId: string) => Promise<Undelivered[]>
  /** work of a workspace that has ended two processes */
  setAside?: (workspaceId: string) => Promise<SetAside[]>
  versions: { svc: string; node: string }
}

/** The details of a deployment for signed-in users. */
export interface Deployment {
  lanes?: Record<Lane, LaneHealth>
  /** subscribers of the durable bus, their lag and their dead letters */
  bus?: BusHealth
  /** health of the workspace's pipelines */
  pipelines?: PipelineHealth
  /** active halts */
  halts?: (Omit<HaltInForce, 'by'> & { by: string })[]
  /** channels that cannot be used, and why */
  channels: { channel?: string; problem: string }[]
  packs: { pack: string; problems: string[]; in_force?: string }[]
  environments: string[]
  policies: string[]
  /** declared schedules that do not fire */
  schedules: ScheduleProblem[]
  /** signed ingress that accepts nothing, because of its secrets */
  ingress: IngressProblem[]
  /** for who sees every workspace; absent while the database is away, as `undelivered` is */
  problems?: FileFault[]
  undelivered?: Undelivered[]
  /** work that is not handed out again, because it crashed two processes */
  set_aside?: Omit<SetAside, 'workspace_id'>[]
  versions: Record<string, string>
}

/** Tells whether the caller may see an environment. */
type Sees = (environment: Pick<Environment, 'workspaces'>) => boolean

/** How long the lanes and the version of PostgreSQL are remembered. */
const TRUSTED_MS = 2_000

/** Describes the deployment. The database's part is left out while it is unavailable. */
export function createDeploymentReport(
  ports: DeploymentPorts,
): (workspaceId: string, everywhere: boolean) => Promise<Deployment> {
  const lanes = remembered(() => answered(reportLanes(ports)))
  const postgres = remembered(() => answered(ports.health.serverVersion()))
  return async (workspaceId, everywhere) => {
    const workspace = await answered(ports.workspaces.find(workspaceId))
    const sees = (environment: Pick<Environment, 'workspaces'>) => everywhere || isGranted(environment, workspace?.slug)
    const [lane_report, bus, pipelines, version, policies, halts, problems, undelivered, setAside] = await Promise.all([
      lanes(),
      ports.bus && answered(ports.bus(workspaceId)),
      ports.pipelines && answered(ports.pipelines(workspaceId)),
      postgres(),
      answered(brokenPolicies(ports, workspaceId, sees)),
      ports.halts && answered(ports.halts(workspaceId, everywhere)),
      // they name files, environments and channels of all workspaces
      everywhere ? ports.problems && answered(ports.problems()) : undefined,
      ports.undelivered && answered(ports.undelivered(workspaceId)),
      ports.setAside && answered(ports.setAside(workspaceId)),
    ])
    const isShown = ({ scope }: Halt) => everywhere || concerns(scope, ports.environments.list(), [workspace?.slug])
    return {
      ...(lane_report !== undefined && { lanes: lane_report }),
      ...(bus !== undefined && { bus }),
      ...(pipelines !== undefined && { pipelines }),
      ...(halts !== undefined && { halts: halts.filter(isShown).map((halt) => inForce(halt, everywhere)) }),
      channels: channelProblems(ports),
      packs: packProblems(ports),
      environments: [...defaultProblem(ports, workspace), ...environmentProblems(ports, sees)],
      policies: policies ?? [],
      schedules: (workspace && ports.scheduleProblems?.(workspace)) ?? [],
      ingress: ports.ingressProblems?.(workspaceId) ?? [],
      ...(problems !== undefined && { problems: [...problems] }),
      ...(undelivered !== undefined && { undelivered }),
      ...(setAside !== undefined && { set_aside: setAside.map(({ workspace_id: _here, ...each }) => each) }),
      versions: { ...ports.versions, ...(version !== undefined && { postgres: version }) },
    }
  }
}

function inForce(halt: HaltInForce, everywhere: boolean) {
  return { ...halt, by: setterFor({ workspaces: everywhere ? '*' : [] }, halt).display }
}

/** Broken skills are listed under their pack, those of the data directory under `overlay`. */
function packProblems({ packs, skills }: DeploymentPorts): Deployment['packs'] {
  const bySkill = (skills?.errors() ?? []).map((fault) => ({
    pack: /^([^/]+)\/skills\//.exec(fault.file)?.[1] ?? 'overlay',
    problems: [faultText(fault)],
  }))
  const byPack = packs.errors().map(({ pack, faults, in_force }) => ({
    pack,
    problems: faults.map(faultText),
    ...(in_force !== undefined && { in_force }),
  }))
  return [...byPack, ...bySkill]
}

function channelProblems({ channels, linkProblem }: DeploymentPorts): Deployment['channels'] {
  const links = linkProblem?.()
  return [
    ...(links === undefined ? [] : [{ problem: links }]),
    ...channels.errors().map((fault) => ({ problem: faultText(fault) })),
    ...channels.secretProblems().map(({ channel, problem }) => ({ channel, problem })),
  ]
}

/** Returns a problem if a run without an environment would find none. */
function defaultProblem({ environments }: DeploymentPorts, workspace: WorkspaceEntry | undefined): string[] {
  if (workspace === undefined) return []
  const { slug, default_environment } = workspace
  const isThere = environments.list().some((each) => each.name === default_environment && isGranted(each, slug))
  return isThere
    ? []
    : [`workspace ${slug}: there is no environment ${default_environment}, which its runs take that name none`]
}

/** Lists the faults of environment files, only of environments that the workspace may use. */
function environmentProblems({ environments }: DeploymentPorts, sees: Sees): string[] {
  const isShown = ({ file }: FileFault) => {
    const name = /^environments\/(.+)\.ya?ml$/i.exec(file)?.[1]
    if (name === undefined) return true
    // one that could never be read is hidden from other workspaces
    return sees(environments.list().find((each) => each.name === name) ?? {})
  }
  return environments.errors().filter(isShown).map(faultText)
}

/** Broken policies of every environment that the workspace may use, each once. */
async function brokenPolicies(
  { environments, policies }: DeploymentPorts,
  workspaceId: string,
  sees: Sees,
): Promise<string[]> {
  const usable = environments.list().filter(sees)
  const sets = await Promise.all(usable.map((each) => policies.effective(workspaceId, each)))
  return [...new Set(sets.flatMap(({ merged }) => merged.broken.flatMap(textsOf)))]
}

function textsOf({ label, source, problems }: BrokenPolicy): string[] {
  return problems.map((problem) => `${label}: ${problemText(source, problem)}`)
}

/** The answer, or undefined when it fails or takes too long. */
async function answered<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  return await within(
    ANSWER_MS,
    answer.catch(() => undefined),
    () => undefined,
  )
}

function remembered<Answer>(read: () => Promise<Answer>): () => Promise<Answer> {
  let answer: Promise<Answer> | undefined
  let at = Number.NEGATIVE_INFINITY
  return () => {
    if (answer === undefined || performance.now() - at > TRUSTED_MS) {
      at = performance.now()
      answer = read()
    }
    return answer
  }
}
